import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasePlaces } from './places.ts'

test('an address with several hosts stands for one address each, with the same name, password and query', () => {
  assert.deepEqual(databasePlaces('postgres://mill:p%40ss@one,two:5433,[::1]:5434/mill?sslmode=require'), {
    addresses: [
      'postgres://mill:p%40ss@one/mill?sslmode=require',
      'postgres://mill:p%40ss@two:5433/mill?sslmode=require',
      'postgres://mill:p%40ss@[::1]:5434/mill?sslmode=require',
    ],
    mayBeStandby: true,
  })
})

test('an address with one host is that address, and is taken for a primary unless it asks for one', () => {
  const one = 'postgres://mill@db/mill'
  assert.deepEqual(databasePlaces(one), { addresses: [one], mayBeStandby: false })
  for (const wanted of ['read-write', 'primary'])
    assert.deepEqual(databasePlaces(`${one}?target_session_attrs=${wanted}`), { addresses: [one], mayBeStandby: true })
})

test('an address that asks for a server which takes no writes is refused, and so is a host that is none', () => {
  for (const wanted of ['any', 'read-only', 'standby', 'prefer-standby', ''])
    assert.equal(databasePlaces(`postgres://mill@one,two/mill?target_session_attrs=${wanted}`), undefined)
  for (const hosts of ['one,two:70000', 'one,,two', 'one,', 'one two'])
    assert.equal(databasePlaces(`postgres://mill@${hosts}/mill`), undefined, hosts)
})
