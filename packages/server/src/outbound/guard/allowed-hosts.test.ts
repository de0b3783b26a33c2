import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowedHost, parseAllowedHosts } from './allowed-hosts.ts'

test('an exempt host is an exact pair of host and port, compared after normalization', () => {
  const allowed = parseAllowedHosts(' Files.Example:8080, 127.0.0.1:9000 ,[0::1]:9001,, minio:80')
  assert.deepEqual([...allowed], ['files.example:8080', '127.0.0.1:9000', '::1:9001', 'minio:80'])
  assert.equal(isAllowedHost(allowed, '127.0.0.1', 9000), true)
  assert.equal(isAllowedHost(allowed, '127.0.0.1', 9001), false)
  assert.equal(isAllowedHost(allowed, '127.0.0.2', 9000), false)
  assert.equal(isAllowedHost(allowed, '::1', 9001), true)
})

test('an empty ALLOWED_PRIVATE_HOSTS exempts no host', () => {
  assert.equal(parseAllowedHosts('').size, 0)
})

test('ALLOWED_PRIVATE_HOSTS rejects an entry without a port, or with a scheme, path, wildcard, or invalid port, and names it', () => {
  const wrong = [
    'localhost',
    'http://localhost:80',
    'localhost:80/a',
    '*:80',
    'a:0',
    'a:65536',
    '::1:80',
    '10.0.0.0/8:80',
    'a b:1',
    '[::1%lo]:80',
  ]
  for (const entry of wrong) {
    assert.throws(
      () => parseAllowedHosts(`fine:80,${entry}`),
      (error: Error) => error instanceof RangeError && error.message.includes(`"${entry}"`),
    )
  }
})
