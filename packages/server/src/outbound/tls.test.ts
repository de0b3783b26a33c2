import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { startDnsServer } from '@mediamill/lab/support/dns-server'
import { CERTIFICATE_WITHOUT_CHAIN, TEST_CERTIFICATE } from '@mediamill/lab/support/tls'
import { openSource } from './fetch/fetch.ts'
import { parseAllowedHosts } from './guard/allowed-hosts.ts'

let port = 0
const seen: { host: string | undefined; servername: unknown }[] = []
const server = createServer(TEST_CERTIFICATE, (call, response) => {
  seen.push({ host: call.headers.host, servername: (call.socket as TLSSocket).servername })
  response.end('secure')
})
before(() =>
  new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)).then(() => {
    port = (server.address() as AddressInfo).port
  }),
)
after(() => {
  server.closeAllConnections()
  server.close()
})

async function fetched(host: string, certificateAuthorities?: string): Promise<string> {
  await using dns = await startDnsServer(({ type }) => (type === 'A' ? ['127.0.0.1'] : []))
  const network = {
    allowedHosts: parseAllowedHosts(`${host}:${port}`),
    dnsServers: [dns.address],
    ...(certificateAuthorities !== undefined && { certificateAuthorities }),
  }
  const signal = new AbortController().signal
  const { body } = await openSource(`https://${host}:${port}/`, { network, signal, limits: { retryAfterMs: 1 } })
  return (await body.toArray()).join('')
}

test('a connection to a checked address sends the host name for TLS, and verifies that the certificate is for this name', async () => {
  assert.equal(await fetched('secure.test', TEST_CERTIFICATE.cert), 'secure')
  assert.deepEqual(seen, [{ host: `secure.test:${port}`, servername: 'secure.test' }])
})

test('an outbound connection rejects a certificate that is untrusted or has another name', async () => {
  const expected = { code: 'source_unreachable', message: /TLS certificate/ }
  await assert.rejects(fetched('secure.test'), expected)
  await assert.rejects(fetched('other.test', TEST_CERTIFICATE.cert), expected)
  await assert.rejects(fetched('127.0.0.1', TEST_CERTIFICATE.cert), expected)
  assert.equal(seen.length, 1)
})

test('if a server does not send its whole certificate chain, the error names the certificate', async (t) => {
  server.setSecureContext(CERTIFICATE_WITHOUT_CHAIN)
  t.after(() => server.setSecureContext(TEST_CERTIFICATE))
  await assert.rejects(fetched('secure.test'), { code: 'source_unreachable', message: /TLS certificate/ })
})
