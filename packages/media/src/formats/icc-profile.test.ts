import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codedProfile } from './icc-profile.ts'

const [BT2020, SRGB] = [9, 13]

test('the tags of a written color profile are inside the file, and its three equal curves share their data', () => {
  const bytes = codedProfile(BT2020, SRGB)
  assert.ok(bytes)
  const count = bytes.readUInt32BE(128)
  const tags = Array.from({ length: count }, (_, index) => {
    const at = 132 + index * 12
    return {
      name: bytes.toString('latin1', at, at + 4),
      start: bytes.readUInt32BE(at + 4),
      length: bytes.readUInt32BE(at + 8),
    }
  })
  assert.equal(bytes.readUInt32BE(0), bytes.length)
  for (const { start, length } of tags) assert.ok(start % 4 === 0 && start + length <= bytes.length)
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['desc', 'cprt', 'wtpt', 'rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC'],
  )
  assert.equal(new Set(tags.map(({ start }) => start)).size, tags.length - 2)
})
