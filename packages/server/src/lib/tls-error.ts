/** Matches codes of failed handshakes and of rejected certificates. Some codes of OpenSSL do not contain CERT. */
const CERTIFICATE_CODES =
  /^ERR_(?:TLS|SSL)_|CERT|CRL|ISSUER|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/

export const isTlsError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && CERTIFICATE_CODES.test(String(error.code))
