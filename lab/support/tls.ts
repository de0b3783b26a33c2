/**
 * A self-signed certificate and its key, for the name `secure.test`. Only for test servers.
 * Created with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj
 * "/CN=Mediamill test certificate" -addext "subjectAltName=DNS:secure.test"`, because Node.js cannot create
 * certificates.
 */
export const TEST_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgO+PUc17xhUuwBHr5
doMZ5IQnAZS0ifkuMBuQdxtoH/2hRANCAATZXNqR7CVGfENn5iftYRtmvfmxHSf3
ix31QzuKP+wchdWZrTcGJ7Oy/RdiwUvHaFTnRG4D9aeFpaNB9t5U6wNs
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBuTCCAV+gAwIBAgIUVg4OJmRxS2sKPog1S24CI8OaDAUwCgYIKoZIzj0EAwIw
JTEjMCEGA1UEAwwaTWVkaWFtaWxsIHRlc3QgY2VydGlmaWNhdGUwIBcNMjYxMTIx
MTYxNDAzWhgPMjEyNjEwMjgxNjE0MDNaMCUxIzAhBgNVBAMMGk1lZGlhbWlsbCB0
ZXN0IGNlcnRpZmljYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2Vzakewl
RnxDZ+Yn7WEbZr35sR0n94sd9UM7ij/sHIXVma03Biezsv0XYsFLx2hU50RuA/Wn
haWjQfbeVOsDbKNrMGkwHQYDVR0OBBYEFKF9KDOn8lxLASdYrHt135gMOU4DMB8G
A1UdIwQYMBaAFKF9KDOn8lxLASdYrHt135gMOU4DMA8GA1UdEwEB/wQFMAMBAf8w
FgYDVR0RBA8wDYILc2VjdXJlLnRlc3QwCgYIKoZIzj0EAwIDSAAwRQIgJ7hSn2rD
y2PGCB19Hjmb15ett70lHKzR1r3fpzoTsYsCIQCF5PMnEwAsBYqfIBXynO9a7FDr
VYgb2wflQsU1Mi3qlQ==
-----END CERTIFICATE-----
`,
}

/** A self-signed certificate and its key, for the name `localhost`. Only for test servers. */
export const LOCALHOST_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQaI0V9Ivee9kYD8Z
tiRspxea9smv31aBCiOQsEhN7C6hRANCAASrFPuN/LUijY/BgkRevMu99LZQJT6w
pDMlbrG7G9ZKk5iKnPKhq9kuV7M7M3WbgavgVDOwx1Jb1B2mvLdctEzE
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBsDCCAVegAwIBAgIUBs5lVF4x8IlT/zhURkq1laGONiMwCgYIKoZIzj0EAwIw
IjEgMB4GA1UEAwwXTWVkaWFtaWxsIHRlc3QgZGF0YWJhc2UwIBcNMjYxMTIzMjIy
MzAzWhgPMjEyNjEwMzAyMjIzMDNaMCIxIDAeBgNVBAMMF01lZGlhbWlsbCB0ZXN0
IGRhdGFiYXNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqxT7jfy1Io2PwYJE
XrzLvfS2UCU+sKQzJW6xuxvWSpOYipzyoavZLlezOzN1m4Gr4FQzsMdSW9Qdpry3
XLRMxKNpMGcwHQYDVR0OBBYEFFPenRSy5BfqSwaGOGYzNOUofpsmMB8GA1UdIwQY
MBaAFFPenRSy5BfqSwaGOGYzNOUofpsmMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0R
BA0wC4IJbG9jYWxob3N0MAoGCCqGSM49BAMCA0cAMEQCIDyXDxavHhSHTc18jPh8
8X3I8yZuSO27hWaMqnZpRfmWAiBl2GLxXgrxA2gPrvukU+AUZ+6oo4Tzso3OZAEf
B99rTA==
-----END CERTIFICATE-----
`,
}
