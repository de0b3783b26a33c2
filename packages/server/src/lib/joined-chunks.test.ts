import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JoinedChunks } from './joined-chunks.ts'

const KIB = 1024

const heldBy = (chunks: readonly Buffer[]) =>
  [...new Set(chunks.map((chunk) => chunk.buffer))].reduce((sum, memory) => sum + memory.byteLength, 0)

/** Simulates a parser of frames with one byte each. */
function* singleBytes(count: number): Generator<Buffer> {
  let read = Buffer.alloc(0)
  for (let index = 0; index < count; index += 1) {
    const at = (index * 6) % (60 * KIB)
    if (at === 0) read = Buffer.allocUnsafeSlow(64 * KIB)
    read[at] = index & 0xff
    yield read.subarray(at, at + 1)
  }
}

test('joining chunks of any size keeps their bytes and their order, and counts the bytes', () => {
  const sizes = [1, 0, 5, 32 * KIB - 1, 32 * KIB, 1, 64 * KIB, 70 * KIB, 1, 1, 20 * KIB, 20 * KIB, 30 * KIB, 3]
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1))
  const joined = new JoinedChunks()
  for (const chunk of chunks) joined.add(chunk)
  assert.equal(joined.bytes, Buffer.concat(chunks).length)
  assert.ok(Buffer.concat(joined.take()).equals(Buffer.concat(chunks)))
  assert.deepEqual([joined.bytes, joined.take()], [0, []])
})

test('single-byte chunks are joined into large chunks, which use little more memory than their bytes need', () => {
  const joined = new JoinedChunks()
  for (const byte of singleBytes(200 * KIB)) joined.add(byte)
  const taken = joined.take()
  assert.equal(taken.length, 4)
  assert.ok(heldBy(taken) <= 256 * KIB, `${heldBy(taken)} bytes are held`)
  assert.ok(Buffer.concat(taken).every((value, index) => value === (index & 0xff)))
})

test('single bytes between large chunks share one buffer', () => {
  const joined = new JoinedChunks()
  const large = Buffer.allocUnsafeSlow(64 * KIB)
  for (const byte of singleBytes(100)) {
    joined.add(large)
    joined.add(byte)
  }
  const taken = joined.take()
  assert.equal(heldBy(taken), 128 * KIB)
  assert.equal(joined.bytes, 0)
})

test('adding chunks does not change chunks that were already taken', () => {
  const joined = new JoinedChunks()
  joined.add(Buffer.from('first'))
  const first = joined.take()
  joined.add(Buffer.from('second'))
  assert.equal(String(Buffer.concat(first)), 'first')
  assert.equal(String(Buffer.concat(joined.take())), 'second')
  assert.equal(heldBy(first), 64 * KIB)
})
