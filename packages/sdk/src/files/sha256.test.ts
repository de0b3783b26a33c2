import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createRandom } from '@mediamill/lab/support/random'
import { createDigest, createPlainDigest } from './sha256.ts'

test('the JavaScript implementation of SHA-256 gives the standard digest for every length, however the data is divided into chunks', () => {
  const random = createRandom(256)
  for (const length of [
    0,
    1,
    55,
    56,
    63,
    64,
    65,
    119,
    120,
    128,
    ...Array.from({ length: 200 }, () => random.integer(0, 5000)),
  ]) {
    const bytes = Uint8Array.from({ length }, () => random.integer(0, 255))
    const digests = [createPlainDigest(), createDigest()]
    for (let at = 0; at < length; ) {
      const end = at + random.integer(1, 200)
      for (const digest of digests) digest.update(bytes.subarray(at, end))
      at = end
    }
    const expected = createHash('sha256').update(bytes).digest('hex')
    for (const digest of digests) assert.equal(digest.hex(), expected, `${length} bytes`)
  }
})
