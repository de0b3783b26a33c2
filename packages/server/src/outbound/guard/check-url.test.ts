import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import type { DnsAnswer, DnsQuestion } from '@mediamill/lab/support/dns-server'
import { startDnsServer } from '@mediamill/lab/support/dns-server'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from './allowed-hosts.ts'
import { checkUrl } from './check-url.ts'

const OFFLINE = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [] }

const PRIVATE = [
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
]

/** All spellings of an IPv4 address that URL parsers or network stacks are known to accept. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0')
  const octal = (value: number) => `0${value.toString(8)}`
  const high = hex(a * 256 + b)
  const low = hex(c * 256 + d)
  const tail = `${high}:${low}`
  const wide = (text: string, zero: number) =>
    text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  return [
    address,
    `${address}.`,
    `${whole}`,
    `0x${hex(whole, 8)}`,
    `0X${hex(whole, 8).toUpperCase()}`,
    octal(whole),
    `00000${whole.toString(8)}`,
    [a, b, c, d].map((part) => `0x${hex(part)}`).join('.'),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((part) => `000${octal(part)}`).join('.'),
    `0x${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${hex(a)}.0x${hex((b * 256 + c) * 256 + d)}`,
    address.replaceAll(/[\d.]/g, (sign) => `%${hex(sign.charCodeAt(0), 2)}`),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    wide(address, 0xff10),
    wide(address, 0x1d7d8),
    `[::ffff:${address}]`,
    `[::ffff:${tail}]`,
    `[0:0:0:0:0:ffff:${tail}]`,
    `[::${address}]`,
    `[::${tail}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${tail}]`,
    `[64:ff9b:1::${tail}]`,
    `[64:FF9B:1:fffe::${address}]`,
    `[2002:${tail}::1]`,
    `[2001:0:4136:e378:8000:63bf:${hex(0xffff - (a * 256 + b))}:${hex(0xffff - (c * 256 + d))}]`,
    `[2a00:1450::5efe:${address}]`,
    `[2a00:1450::200:5efe:${tail}]`,
    `[fe80::5efe:${tail}]`,
  ]
}

test('the address check rejects a private, loopback, or metadata address in every spelling [sources.addresses.1]', async () => {
  const texts = PRIVATE.flatMap(spellings).flatMap((host) => [`http://${host}/`, `https://${host}/latest/meta-data/`])
  assert.ok(texts.length >= 300)
  for (const text of texts) {
    const verdict = await checkUrl(text, OFFLINE)
    assert.equal(verdict.ok ? 'ok' : verdict.code, 'url_blocked', text)
  }
})

test('an IP address in a URL needs no DNS lookup, and the connection uses exactly this address if it is public [sources.addresses.1]', async () => {
  const verdict = await checkUrl('http://0x5db8d822/', OFFLINE)
  assert.deepEqual(verdict.ok && verdict.addresses, ['93.184.216.34'])
})

function blocking(...blocks: [address: string, bits: number][]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of blocks) list.addSubnet(address, bits, address.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

test('BLOCKED_NETWORKS rejects a blocked address in every spelling, and accepts neighboring addresses', async () => {
  const blockedNetworks = blocking(['93.184.216.0', 25], ['2606:4700:4700::', 96])
  const codeOf = async (host: string, allowedHosts = NO_ALLOWED_HOSTS) => {
    const verdict = await checkUrl(`http://${host}/`, { ...OFFLINE, allowedHosts, blockedNetworks })
    return verdict.ok ? 'ok' : verdict.code
  }
  for (const host of [...spellings('93.184.216.34'), '[2606:4700:4700::1111]', '[2606:4700:4700::5db8:d822]'])
    assert.equal(await codeOf(host), 'url_blocked', host)
  for (const host of ['93.184.216.134', '[2606:4700:4700::1:0:1111]']) assert.equal(await codeOf(host), 'ok', host)
  assert.equal(await codeOf('93.184.216.34', parseAllowedHosts('93.184.216.34:80')), 'ok', 'an exempt host')
})

test('BLOCKED_NETWORKS rejects a host name if one of its addresses is blocked', async () => {
  await using dns = await startDnsServer(lookUp)
  const blockedNetworks = blocking(['1.1.1.1', 32])
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address], blockedNetworks }
  const verdict = await checkUrl('http://both.test/', network)
  assert.equal(verdict.ok ? 'ok' : verdict.code, 'url_blocked')
  assert.equal((await checkUrl('http://four.test/', network)).ok, true)
})

const ZONE: Record<string, { A: DnsAnswer; AAAA: DnsAnswer }> = {
  'both.test': { A: ['93.184.216.34', '1.1.1.1'], AAAA: ['2606:4700:4700::1111'] },
  'four.test': { A: ['93.184.216.34'], AAAA: [] },
  'six.test': { A: [], AAAA: ['2606:4700:4700::1111'] },
  'half.test': { A: ['93.184.216.34'], AAAA: 'SERVFAIL' },
  'private.test': { A: ['10.0.0.1'], AAAA: [] },
  'mixed.test': { A: ['93.184.216.34', '127.0.0.1'], AAAA: [] },
  'mixed-families.test': { A: ['93.184.216.34'], AAAA: ['::1'] },
  'mapped.test': { A: [], AAAA: ['0:0:0:0:0:ffff:7f00:1'] },
  'nothing.test': { A: [], AAAA: [] },
  'broken.test': { A: 'SERVFAIL', AAAA: 'SERVFAIL' },
  'silent.test': { A: 'silent', AAAA: 'silent' },
}
const lookUp = ({ name, type }: DnsQuestion): DnsAnswer => ZONE[name]?.[type] ?? 'NXDOMAIN'

test('the address check looks up a host name once per address family, and the connection uses only the checked addresses [sources.addresses.1]', async () => {
  await using dns = await startDnsServer(lookUp)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
  const addressesOf = async (name: string) => {
    const verdict = await checkUrl(`http://${name}/`, network)
    return verdict.ok ? verdict.addresses : verdict.code
  }
  assert.deepEqual(await addressesOf('both.test'), ['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111'])
  assert.deepEqual(dns.questions.map((question) => `${question.name} ${question.type}`).sort(), [
    'both.test A',
    'both.test AAAA',
  ])
  assert.deepEqual(await addressesOf('four.test'), ['93.184.216.34'])
  assert.deepEqual(await addressesOf('six.test'), ['2606:4700:4700::1111'])
  assert.deepEqual(await addressesOf('half.test'), ['93.184.216.34'])
})

test('the address check rejects a host name if any of its addresses is not public [sources.urls.3]', async () => {
  await using dns = await startDnsServer(lookUp)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
  for (const name of ['private.test', 'mixed.test', 'mixed-families.test', 'mapped.test']) {
    const verdict = await checkUrl(`http://${name}/`, network)
    assert.equal(verdict.ok ? 'ok' : verdict.code, 'url_blocked', name)
  }
})

test('a host name is rejected as url_unresolvable if it has no address or its name servers fail or time out [sources.urls.4]', async () => {
  await using dns = await startDnsServer(lookUp)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
  for (const name of ['unknown.test', 'nothing.test', 'broken.test', 'silent.test', 'a.invalid', 'b.onion']) {
    const verdict = await checkUrl(`http://${name}/`, network, { timeoutMs: 200 })
    assert.equal(verdict.ok ? 'ok' : verdict.code, 'url_unresolvable', name)
  }
  assert.ok(!dns.questions.some((question) => /invalid|onion/.test(question.name)))
})

test('several name servers that do not respond share the timeout of one DNS lookup', async () => {
  await using stack = new AsyncDisposableStack()
  const servers = await Promise.all(Array.from({ length: 12 }, () => startDnsServer(() => 'silent')))
  for (const server of servers) stack.use(server)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: servers.map(({ address }) => address) }
  const verdict = await checkUrl('http://four.test/', network, { timeoutMs: 200 })
  assert.equal(verdict.ok ? 'ok' : verdict.code, 'url_unresolvable')
  assert.deepEqual([servers[0]?.questions.length, servers.at(-1)?.questions.length], [2, 0])
})

test('an error message for a client never contains the IP address of a host name', async () => {
  await using dns = await startDnsServer(lookUp)
  const verdict = await checkUrl('http://private.test/', { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] })
  assert.ok(!verdict.ok && !verdict.message.includes('10.0.0.1') && String(verdict.cause).includes('10.0.0.1'))
})

test('an aborted address check ends at once with the reason of its AbortSignal', async () => {
  await using dns = await startDnsServer(lookUp)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
  const controller = new AbortController()
  const check = checkUrl('http://silent.test/', network, { timeoutMs: 60_000, signal: controller.signal })
  controller.abort(new Error('stopped'))
  await assert.rejects(check, /stopped/)
})

test('hundreds of unanswered DNS lookups do not delay file operations or further lookups', async () => {
  await using dns = await startDnsServer(lookUp)
  const network = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [dns.address] }
  const controller = new AbortController()
  let settled = 0
  const checks = Array.from({ length: 200 }, () =>
    checkUrl('http://silent.test/', network, { timeoutMs: 60_000, signal: controller.signal }).finally(() => {
      settled += 1
    }),
  )
  // The system's resolver would block the four threads of the thread pool. These reads need free threads.
  await Promise.all(Array.from({ length: 8 }, () => readFile(import.meta.filename)))
  const other = await checkUrl('http://four.test/', network)
  assert.ok(other.ok)
  assert.equal(settled, 0)
  controller.abort(new Error('enough'))
  const outcomes = await Promise.allSettled(checks)
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'))
})

test('the address check uses /etc/hosts only for an exempt host and port [operator.settings.4]', async () => {
  const network = { allowedHosts: parseAllowedHosts('localhost:8099'), dnsServers: [] }
  const exempt = await checkUrl('http://localhost:8099/', network)
  assert.ok(exempt.ok && exempt.addresses.includes('127.0.0.1'))
  const neighbor = await checkUrl('http://localhost/', network)
  assert.equal(neighbor.ok ? 'ok' : neighbor.code, 'url_blocked')
})
