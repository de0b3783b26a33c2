import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlocks, containsAddress } from './address-blocks.ts'

test('a parsed list of addresses and blocks contains exactly the listed addresses', () => {
  const blocks = addressBlocks('198.51.100.7, 10.0.0.0/8,2001:db8::/32')
  assert.ok(blocks !== undefined)
  for (const address of ['198.51.100.7', '10.255.0.1', '2001:db8:1::1'])
    assert.ok(containsAddress(blocks, address), address)
  for (const address of ['198.51.100.8', '11.0.0.1', '2001:db9::1', '::ffff:203.0.113.1'])
    assert.equal(containsAddress(blocks, address), false, address)
})

test('the parser for address lists rejects invalid addresses, and blocks of all addresses', () => {
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.4/33',
    '1.2.3.4/0',
    '::/0',
    '::1/129',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    '1.2.3.4/-1',
  ])
    assert.equal(addressBlocks(text), undefined, text)
})
