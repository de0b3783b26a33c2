import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { clientPrefix, trustsProxies } from './client-address.ts'

const PROXIES = new BlockList()
PROXIES.addSubnet('10.0.0.0', 8)
PROXIES.addAddress('192.0.2.7')
PROXIES.addSubnet('2001:db8::', 32, 'ipv6')

/** Returns the address that limits and logs use. `forwarded`: the header X-Forwarded-For of the call. */
async function prefixOf(proxies: BlockList | undefined, peer: string, forwarded?: string): Promise<string> {
  const app = Fastify({ trustProxy: trustsProxies(proxies) })
  app.get('/', async (call) => clientPrefix(call))
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const { body } = await app.inject({ url: '/', remoteAddress: peer, headers })
  await app.close()
  return body
}

test('X-Forwarded-For is ignored unless TRUSTED_PROXIES contains the peer', async () => {
  assert.equal(await prefixOf(undefined, '10.0.0.1', '8.8.8.8'), '10.0.0.1')
  assert.equal(await prefixOf(PROXIES, '9.9.9.9', '8.8.8.8'), '9.9.9.9')
  assert.equal(await prefixOf(PROXIES, '10.0.0.1', '8.8.8.8'), '8.8.8.8')
  assert.equal(await prefixOf(PROXIES, '10.0.0.1'), '10.0.0.1')
})

test('the client is the rightmost address of X-Forwarded-For that is not a trusted proxy', async () => {
  for (const [forwarded, client] of [
    ['1.1.1.1, 8.8.8.8', '8.8.8.8'],
    ['1.1.1.1,8.8.8.8, 10.1.2.3', '8.8.8.8'],
    ['8.8.8.8, 192.0.2.7, 2001:db8::9', '8.8.8.8'],
    ['1.1.1.1, 192.0.2.8', '192.0.2.8'],
    ['1.1.1.1, 8.8.8.8:4711, 10.1.2.3:80', '8.8.8.8'],
    ['1.1.1.1, [2a00:1450:1:2:3::4]:443', '2a00:1450:1:2::/64'],
    ['8.8.8.8, ::ffff:10.1.2.3', '8.8.8.8'],
    ['8.8.8.8, no address', 'unknown'],
  ] as const) {
    assert.equal(await prefixOf(PROXIES, '::ffff:10.0.0.1', forwarded), client, forwarded)
  }
})

test('connection limits count IPv6 clients by their /64 network, and IPv4 clients by their address', async () => {
  for (const [peer, prefix] of [
    ['2A00:1450:0001:0002:ffff:eeee:dddd:cccc', '2a00:1450:1:2::/64'],
    ['2a00:1450::1', '2a00:1450:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['::ffff:808:808', '8.8.8.8'],
  ] as const) {
    assert.equal(await prefixOf(undefined, peer), prefix, peer)
  }
})
