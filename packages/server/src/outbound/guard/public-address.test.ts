import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { ALLOCATED_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './address-ranges.ts'
import { CHECKS, isPublicAddress } from './public-address.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** The first and last address of each rejected block, written by hand, not computed from the tested table. */
const REJECTED_EDGES: readonly (readonly [block: string, first: string, last: string])[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['168.63.129.16/32', '168.63.129.16', '168.63.129.16'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
  ['::/96', '::', '::ffff:ffff'],
  ['::ffff:0:0/96', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['::ffff:0:0:0/96', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

const PUBLIC_NEIGHBORS = words(`
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
  168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255
  192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255
  192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
  203.0.114.0 223.255.255.255 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2003::
  2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001::
`)

const ALLOCATION_EDGES: readonly (readonly [address: string, isPublic: boolean])[] = [
  ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2000::', false],
  ['2001:fff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:1000::', false],
  ['2001:11ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:1200::', true],
  ['2001:3fff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:4000::', true],
  ['2001:4dff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:4e00::', false],
  ['2001:4fff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:5000::', true],
  ['2001:5fff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:6000::', false],
  ['2001:7fff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:8000::', true],
  ['2001:bfff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:c000::', false],
  ['2003:3fff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2003:4000::', false],
  ['23ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2400::', true],
  ['241f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2420::', false],
  ['25ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2600::', true],
  ['260f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2610::', true],
  ['2610:1ff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2610:200::', false],
  ['261f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2620::', true],
  ['2620:1ff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2620:200::', false],
  ['2630::', true],
  ['263f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2640::', false],
  ['27ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2800::', true],
  ['280f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2810::', false],
  ['29ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2a00::', true],
  ['2a1f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2a20::', false],
  ['2c00::', true],
  ['2c0f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2c10::', false],
  ['2d00::', false],
  ['3000::', false],
  ['3ffe::1', false],
  ['3fff:1000::', false],
  ['4000::', false],
  ['6000::1', false],
  ['8000::1', false],
  ['a000::1', false],
  ['c000::1', false],
  ['e000::1', false],
  ['f000::1', false],
  ['fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['fe00::1', false],
]

const REJECTED_SINGLES = words(`
  169.254.169.254 169.254.170.2 169.254.169.123 100.100.100.200 192.0.0.192 192.0.0.9 192.0.0.10 fd00:ec2::254
  fd20:ce::254 ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::8.8.8.8
  64:ff9b:1::a9fe:a9fe 2002:7f00:1:: 2002:a9fe:a9fe::1 2001::4136:e378:8000:63bf:3fff:fdd2 2001:20::1 2001:10::1
  2001:2::1 2001:1::1 2001:3::1 2001:30::1 2a00:1450::5efe:7f00:1 2a00:1450::200:5efe:a9fe:a9fe
  2600:1::5efe:8.8.8.8 fe80::1%eth0 2a00:1450::1%lo example.com 1.2.3 127.1 0x7f.0.0.1 2130706433 [::1]
  010.0.0.1
`).concat('', '8.8.8.8 ')

/** Public addresses. The last address looks like ISATAP, but has another interface id. */
const PUBLIC_SINGLES = words(`
  1.1.1.1 8.8.8.8 93.184.216.34 151.101.1.69 104.16.132.229 20.112.250.133 52.216.0.1 2606:4700:4700::1111
  2001:4860:4860::8888 2a00:1450:4001:800::200e 2620:fe::fe 2404:6800::1 2803:f800::1 2c0f:fb50::1
  2a00:1450::1200:5efe:1:1
`)

test('the address check rejects the first and last address of every special-purpose block', () => {
  const known = new Set(REJECTED_EDGES.map(([block]) => block))
  for (const [block] of [...SPECIAL_IPV4, ...SPECIAL_IPV6]) assert.ok(known.has(block), `${block} has no edges here`)
  for (const [block, first, last] of REJECTED_EDGES) {
    assert.equal(isPublicAddress(first), false, `first of ${block}`)
    assert.equal(isPublicAddress(last), false, `last of ${block}`)
  }
})

/** The blocks that ipaddr.js considers ordinary. Only the service's own tables contain them. */
const UNKNOWN_TO_LIBRARY: ReadonlySet<string> = new Set(['168.63.129.16/32', '100:0:0:1::/64', '::/96'])

test("the service's own address table rejects every special-purpose block, and the IP library rejects every block that the library lists", () => {
  for (const [block, ...edges] of REJECTED_EDGES) {
    for (const address of edges.map((edge) => ipaddr.parse(edge))) {
      assert.equal(CHECKS.registered(address), false, `our table: ${block}`)
      if (UNKNOWN_TO_LIBRARY.has(block)) continue
      assert.equal(CHECKS.library(address), false, `the library: ${block}`)
    }
  }
  for (const address of [...PUBLIC_NEIGHBORS, ...PUBLIC_SINGLES].map((text) => ipaddr.parse(text))) {
    assert.ok(CHECKS.registered(address) && CHECKS.library(address), address.toString())
  }
})

test('the address check accepts the public addresses just outside special-purpose blocks', () => {
  for (const address of PUBLIC_NEIGHBORS) assert.equal(isPublicAddress(address), true, address)
})

test('the address check rejects all unallocated IPv6 addresses, up to the edges of the allocated blocks', () => {
  for (const [address, isPublic] of ALLOCATION_EDGES) assert.equal(isPublicAddress(address), isPublic, address)
  for (const [block] of ALLOCATED_IPV6) assert.equal(isPublicAddress(block.replace(/\/.*/, '1')), true, block)
})

test('the address check rejects metadata services, embedded IPv4 addresses in IPv6, zone ids, and text that is not a plain address', () => {
  for (const address of REJECTED_SINGLES) assert.equal(isPublicAddress(address), false, address)
})

test('the address check accepts well-known public addresses of all regional registries', () => {
  for (const address of PUBLIC_SINGLES) assert.equal(isPublicAddress(address), true, address)
})
