import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeAt } from './write-at.ts'

test('after an incomplete disk write, the remaining bytes are written at the correct position', async () => {
  const disk = Buffer.alloc(12)
  const write = async (bytes: Buffer, from: number, length: number, position: number) => ({
    buffer: bytes,
    bytesWritten: bytes.copy(disk, position, from, from + Math.min(length, 3)),
  })
  await writeAt({ write: write as never }, Buffer.from('12345678'), 2)
  assert.equal(disk.toString(), '\0\x0012345678\0\0')
})
