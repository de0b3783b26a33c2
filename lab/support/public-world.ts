/** A test program. It simulates the internet in a network namespace, where loopback has every IP address. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { BlockList } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { openSource } from '@mediamill/server/outbound/fetch/fetch'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from '@mediamill/server/outbound/guard/allowed-hosts'
import { checkUrl } from '@mediamill/server/outbound/guard/check-url'
import { post } from '@mediamill/server/outbound/post'
import { send } from '@mediamill/server/outbound/send'
import type { DnsServer } from './dns-server.ts'
import { startDnsServer } from './dns-server.ts'
import { TEST_CERTIFICATE } from './tls.ts'

const PUBLIC_4 = '93.184.216.34'
const PUBLIC_6 = '2606:4700:4700::1111'
const PRIVATE_4 = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.19.255.255',
]
const PRIVATE_6 = [
  '::1',
  'fd00:ec2::254',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  '2001:0:1::1',
  '2a00:1450::5efe:7f00:1',
  '4000::1',
  '2001:db8::1',
  'fec0::1',
]
const PRIVATE = [...PRIVATE_4, ...PRIVATE_6]

/** The local address and port of each connection that a listener has accepted. */
let accepted: string[] = []
let redirectTo = ''
let zone: Record<string, { A?: () => string[]; AAAA?: () => string[] }> = {}
let dns: DnsServer
const servers: http.Server[] = []

before(async () => {
  dns = await startDnsServer(({ name, type }) => zone[name]?.[type]?.() ?? [])
  const respond: http.RequestListener = (call, response) => {
    if (call.url === '/redirect') response.writeHead(302, { location: redirectTo }).end()
    else response.end(`served on ${addressOf(call.socket)}`)
  }
  for (const port of [80, 8080]) servers.push(await listening(http.createServer(respond), port))
  servers.push(await listening(https.createServer(TEST_CERTIFICATE, respond), 443))
})
after(async () => {
  await dns[Symbol.asyncDispose]()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})
beforeEach(() => {
  accepted = []
  zone = {}
})

const addressOf = (socket: Socket) => `${(socket.localAddress ?? '').replace('::ffff:', '')} ${socket.localPort}`

async function listening(server: http.Server, port: number): Promise<http.Server> {
  server.on('connection', (socket) => accepted.push(addressOf(socket)))
  await new Promise<void>((resolve) => server.listen(port, '::', resolve))
  return server
}

const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address)

async function fetched(url: string, blockedNetworks?: BlockList): Promise<string> {
  const network = {
    allowedHosts: NO_ALLOWED_HOSTS,
    dnsServers: [dns.address],
    certificateAuthorities: TEST_CERTIFICATE.cert,
    blockedNetworks,
  }
  const signal = new AbortController().signal
  const { body } = await openSource(url, { network, signal, limits: { retryAfterMs: 1 } })
  return (await body.toArray()).join('')
}

async function codeOf(url: string, blockedNetworks?: BlockList): Promise<string> {
  try {
    return await fetched(url, blockedNetworks)
  } catch (error) {
    if (error instanceof RequestFailure) return error.code
    throw error
  }
}

test('without the address check, the private listeners of this test receive connections', async () => {
  for (const address of PRIVATE) {
    await new Promise((resolve, reject) =>
      http.get(`http://${hostOf(address)}/`, (response) => response.resume().on('end', resolve)).on('error', reject),
    )
  }
  assert.deepEqual(
    accepted,
    PRIVATE.map((address) => `${address} 80`),
  )
})

test('public addresses are fetched on the default ports, by address and by name, over http and https', async () => {
  zone = {
    'four.test': { A: () => [PUBLIC_4] },
    'six.test': { AAAA: () => [PUBLIC_6] },
    'secure.test': { A: () => [PUBLIC_4], AAAA: () => [] },
  }
  assert.equal(await fetched(`http://${PUBLIC_4}/`), `served on ${PUBLIC_4} 80`)
  assert.equal(await fetched(`http://[${PUBLIC_6}]/`), `served on ${PUBLIC_6} 80`)
  assert.equal(await fetched('http://four.test/'), `served on ${PUBLIC_4} 80`)
  assert.equal(await fetched('http://six.test/'), `served on ${PUBLIC_6} 80`)
  assert.equal(await fetched('https://secure.test/'), `served on ${PUBLIC_4} 443`)
  redirectTo = `http://[${PUBLIC_6}]/`
  assert.equal(await fetched('http://four.test/redirect'), `served on ${PUBLIC_6} 80`)
})

test('no connection reaches a private address, whether a source uses an address, a name, a mixed DNS response, a redirect, or a webhook', async () => {
  zone = { 'start.test': { A: () => [PUBLIC_4] } }
  for (const address of PRIVATE) {
    const isFour = !address.includes(':')
    zone['private.test'] = isFour ? { A: () => [address] } : { AAAA: () => [address] }
    zone['mixed.test'] = { A: () => (isFour ? [PUBLIC_4, address] : [PUBLIC_4]), AAAA: () => (isFour ? [] : [address]) }
    for (const url of [
      `http://${hostOf(address)}/`,
      `https://${hostOf(address)}/`,
      'http://private.test/',
      'http://mixed.test/',
    ]) {
      assert.equal(await codeOf(url), 'url_blocked', `${url} ${address}`)
      redirectTo = url
      assert.equal(await codeOf('http://start.test/redirect'), 'url_blocked', `${url} ${address}`)
      const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
      const call = {
        network,
        headers: {},
        body: Buffer.alloc(0),
        signal: new AbortController().signal,
        deadlineMs: 60_000,
      }
      assert.equal((await post(url, call)).ok, false)
    }
  }
  assert.deepEqual(new Set(accepted), new Set([`${PUBLIC_4} 80`]))
  assert.equal(accepted.length, PRIVATE.length * 4)
})

test('no connection reaches a blocked network, whether by address, name, redirect, webhook, or a URL that skipped the address check', async () => {
  const blockedNetworks = new BlockList()
  blockedNetworks.addSubnet(PUBLIC_4, 24)
  blockedNetworks.addSubnet(PUBLIC_6, 64, 'ipv6')
  const other = '1.1.1.1'
  zone = {
    'four.test': { A: () => [PUBLIC_4] },
    'six.test': { AAAA: () => [PUBLIC_6] },
    'start.test': { A: () => [other] },
  }
  const signal = new AbortController().signal
  for (const host of [PUBLIC_4, `[${PUBLIC_6}]`, 'four.test', 'six.test']) {
    assert.equal(await codeOf(`http://${host}/`, blockedNetworks), 'url_blocked', host)
    redirectTo = `http://${host}/`
    assert.equal(await codeOf('http://start.test/redirect', blockedNetworks), 'url_blocked', host)
    const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address], blockedNetworks }
    const call = { network, headers: {}, body: Buffer.alloc(0), signal, deadlineMs: 60_000 }
    assert.equal((await post(`http://${host}/`, call)).ok, false)
  }
  assert.deepEqual(
    accepted,
    Array.from({ length: 4 }, () => `${other} 80`),
  )
  const unchecked = await checkUrl(`http://${PUBLIC_4}/`, { allowedHosts: NO_ALLOWED_HOSTS })
  assert.ok(unchecked.ok)
  const call = { method: 'GET' as const, headers: {}, signal, connectMs: 60_000, headersMs: 60_000 }
  const outcome = await send(unchecked, { allowedHosts: NO_ALLOWED_HOSTS, blockedNetworks }, call)
  assert.equal(outcome.ok ? 'ok' : outcome.reason, 'is not on the public internet')
})

test('no connection reaches a port other than the default, even on a public address', async () => {
  assert.equal(await codeOf(`http://${PUBLIC_4}:8080/`), 'url_invalid')
  redirectTo = `http://${PUBLIC_4}:8080/`
  assert.equal(await codeOf(`http://${PUBLIC_4}/redirect`), 'url_invalid')
  assert.deepEqual(accepted, [`${PUBLIC_4} 80`])
})

test('a host name whose DNS response changes with every query never leads to a private address in 500 trials', async () => {
  let asked = 0
  const turns = [[PUBLIC_4], ['127.0.0.1'], [PUBLIC_4], ['169.254.169.254'], [PUBLIC_4, '10.0.0.1']]
  zone = { 'rebind.test': { A: () => turns[asked++ % turns.length] ?? [] } }
  const outcomes = new Map<string, number>()
  for (let trial = 0; trial < 500; trial += 1) {
    const outcome = await codeOf('http://rebind.test/')
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  // Each download made one DNS query, and could connect only to the public address in its response.
  assert.equal(asked, 500)
  assert.deepEqual(
    outcomes,
    new Map([
      [`served on ${PUBLIC_4} 80`, 200],
      ['url_blocked', 300],
    ]),
  )
  assert.deepEqual(new Set(accepted), new Set([`${PUBLIC_4} 80`]))
})

test('the service rejects a host name that resolves only through the local machine', async () => {
  assert.ok((await lookup('inside.example')).address, 'the machine knows it')
  assert.equal(await codeOf('http://inside.example/'), 'url_unresolvable')
  assert.deepEqual(accepted, [])
})

test('while the system’s resolver hangs, calls to an exempt host delay neither file operations nor calls to other hosts', async () => {
  // This is the machine's only name server. It does not respond until the test sets `isSilent` to false.
  await using silent = createSocket('udp6')
  silent.bind(53, '::')
  await once(silent, 'listening')
  let questions = 0
  const delayed: (() => void)[] = []
  let isSilent = true
  silent.on('message', (query, from) => {
    questions += 1
    const reject = () => {
      const response = Buffer.from(query)
      // The flags of a DNS response with the code NXDOMAIN (RFC 1035, 4.1.1).
      response.writeUInt16BE(0x8183, 2)
      silent.send(response, from.port, from.address)
    }
    if (isSilent) delayed.push(reject)
    else reject()
  })
  const network = { allowedHosts: parseAllowedHosts('hanging.example:8080'), dnsServers: [dns.address] }
  let settled = 0
  const checks = Array.from({ length: 50 }, () =>
    checkUrl('http://hanging.example:8080/', network, { timeoutMs: 60_000 }).finally(() => {
      settled += 1
    }),
  )
  while (questions === 0) await readFile(import.meta.filename)
  await Promise.all(Array.from({ length: 8 }, () => readFile(import.meta.filename)))
  // Name lookups use at most two of libuv's four threads, so file reads and other lookups still work.
  assert.ok((await lookup('localhost')).address)
  assert.equal(settled, 0)
  isSilent = false
  for (const send of delayed) send()
  const outcomes = await Promise.all(checks)
  assert.ok(outcomes.every((outcome) => !outcome.ok && outcome.code === 'url_unresolvable'))
})
