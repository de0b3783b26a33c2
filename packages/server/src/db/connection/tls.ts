import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { checkServerIdentity, createSecureContext, getCACertificates } from 'node:tls'
import { joinList } from '@mediamill/contract/lib/format-text'
import { hostOf, parameterOf, withParameter } from './address.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

type Mode = (typeof MODES)[number]

const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const

/** The other TLS parameters of libpq, with the values that describe how the service connects anyway. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['disable', 'prefer'],
  gssencmode: ['disable', 'prefer'],
  ssl_max_protocol_version: ['TLSv1.3'],
  ssl_min_protocol_version: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  sslcertmode: ['allow'],
  sslcompression: ['0'],
  sslcrl: [],
  sslcrldir: [],
  sslnegotiation: ['postgres'],
  sslpassword: [],
  sslsni: ['1'],
}

const SYSTEM = 'system'

export type TlsSetting = false | 'prefer' | ConnectionOptions

/** Removes the TLS parameters. Only database clients evaluate them: a server would reject them. */
export const withoutTls = (address: string): string =>
  [...PARAMETERS, ...Object.keys(FIXED)].reduce((rest, name) => withParameter(rest, name, undefined), address)

/**
 * Returns the TLS setting of a database URL, or `undefined` if it has no TLS parameter. As in libpq, `require` checks
 * the certificate only with `sslrootcert`, and `allow` and `prefer` never do.
 */
export function tlsOf(address: string): TlsSetting | undefined {
  checkFixed(address)
  const [sslmode, root, cert, key] = PARAMETERS.map((name) => parameterOf(address, name) ?? undefined)
  if (sslmode === undefined && root === undefined && cert === undefined && key === undefined) return undefined
  const mode = sslmode === undefined ? (root === SYSTEM ? 'verify-full' : 'require') : modeOf(sslmode)
  if (root === SYSTEM && mode !== 'verify-full') throw new RangeError('sslrootcert=system requires sslmode=verify-full')
  if ((cert === undefined) !== (key === undefined)) throw new RangeError('sslcert and sslkey must be set together')
  const ca = root === undefined || root === SYSTEM ? undefined : readCertificates('sslrootcert', root)
  const client = cert === undefined || key === undefined ? {} : readClientCertificate(cert, key)
  if (mode === 'disable') return false
  if (mode === 'allow' || mode === 'prefer') {
    if (cert !== undefined) throw new RangeError('sslcert requires sslmode=require, verify-ca, or verify-full')
    return 'prefer'
  }
  if (mode === 'require' && ca === undefined) return { ...client, rejectUnauthorized: false }
  return {
    ...client,
    ca: ca ?? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
    rejectUnauthorized: true,
    // Passes the host name, because Node.js passes no name if the host is an IP address.
    checkServerIdentity: (_, peer) => (mode === 'verify-full' ? checkServerIdentity(hostOf(address), peer) : undefined),
  }
}

/** Adds a certificate authority, unless `sslrootcert` is set. Without `sslmode`, also sets `verify-full`. */
export function withAuthority(address: string, ca: string): string {
  const mode = parameterOf(address, 'sslmode') ?? 'verify-full'
  if (parameterOf(address, 'sslrootcert') !== null || ['disable', 'allow', 'prefer'].includes(mode)) return address
  return withParameter(withParameter(address, 'sslmode', mode), 'sslrootcert', ca)
}

function checkFixed(address: string): void {
  for (const [name, allowed] of Object.entries(FIXED)) {
    const value = parameterOf(address, name)
    if (value !== null && !allowed.includes(value)) throw notAllowed(name, allowed, value)
  }
}

function modeOf(text: string): Mode {
  const mode = MODES.find((each) => each === text)
  if (mode !== undefined) return mode
  throw notAllowed('sslmode', MODES, text)
}

const notAllowed = (name: string, allowed: readonly string[], value: string) =>
  new RangeError(
    allowed.length === 0
      ? `${name} is not supported`
      : `${name} must be ${joinList(allowed, 'or')} (got ${JSON.stringify(value)})`,
  )

function readClientCertificate(cert: string, key: string): ConnectionOptions {
  const client = { cert: readCertificates('sslcert', cert), key: read('sslkey', key) }
  try {
    createSecureContext(client)
  } catch (error) {
    throw new RangeError(`sslkey must be the unencrypted key of sslcert (${messageOf(error)})`, { cause: error })
  }
  return client
}

/** Returns certificates in PEM format. `path` is the path of a file, or the PEM text itself. */
export function readCertificates(name: string, path: string): string {
  if (isPem(path)) return checkCertificates(name, path, 'PEM text')
  return checkCertificates(name, read(name, path), path)
}

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN ')

function checkCertificates(name: string, text: string, source: string): string {
  try {
    new X509Certificate(text)
  } catch (error) {
    throw new RangeError(`${name} must be a file of certificates in PEM format (${source})`, { cause: error })
  }
  return text
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new RangeError(`${name} must be a file that can be read (${messageOf(error)})`, { cause: error })
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
