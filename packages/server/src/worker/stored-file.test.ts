import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Store } from '../store/store.ts'
import { openStoredFile } from './stored-file.ts'

const MIB = 1024 * 1024
const folder = await sharedFolder('mediamill-stored-')
let files = 0

function storeOf(sizes: readonly number[]) {
  const whole = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0))
  for (let at = 0; at < whole.length; at += 1) whole[at] = (at * 31 + (at >> 9)) & 0xff
  const asked: string[] = []
  let start = 0
  const parts = sizes.map((size, index) => {
    const part = { key: `part-${index}`, size, bytes: whole.subarray(start, start + size) }
    start += size
    return part
  })
  const open: Store['open'] = async (key, range) => {
    const bytes = parts.find((part) => part.key === key)?.bytes ?? Buffer.alloc(0)
    const { start: from, end: to } = range ?? { start: 0, end: bytes.length - 1 }
    asked.push(`${key} ${from}-${to}`)
    if (from < 0 || to >= bytes.length || to < from) throw new RangeError(`${key} has no bytes ${from} to ${to}`)
    return { size: bytes.length, body: Readable.from([bytes.subarray(from, to + 1)]) } as never
  }
  return { store: { open }, stored: parts.map(({ key, size }) => ({ key, size })), whole, asked }
}

const options = { maxBytes: 100 * MIB, signal: new AbortController().signal }

test('a stored file with several parts is read completely, each part once and without extra bytes', async () => {
  const { store, stored, whole, asked } = storeOf([1000, 70_000, 1, 300_000])
  const path = join(folder, String((files += 1)))
  await using file = await openStoredFile(store, stored as never, path, options)
  assert.deepEqual([file.size, file.presentBytes], [371_001, 371_001])
  assert.ok((await readFile(path)).equals(whole))
  assert.deepEqual(asked, ['part-0 0-999', 'part-1 0-69999', 'part-2 0-0', 'part-3 0-299999'])
  assert.ok(file.head.equals(whole.subarray(0, 64 * 1024)))
})

test('opening a stored file reads only its first bytes; each further range is read once, on demand, from the parts that contain the range', async () => {
  const { store, stored, whole, asked } = storeOf([2 * MIB, 2 * MIB, 2 * MIB])
  const path = join(folder, String((files += 1)))
  await using file = await openStoredFile(store, stored as never, path, { ...options, firstBytes: 100_000 })
  assert.ok(file.presentBytes < 2 * MIB, String(file.presentBytes))
  await file.fetch(2 * MIB - 10, 20)
  const now = await readFile(path)
  assert.ok(now.subarray(2 * MIB - 10, 2 * MIB + 10).equals(whole.subarray(2 * MIB - 10, 2 * MIB + 10)))
  const before = asked.length
  await file.fetch(2 * MIB - 5, 10)
  assert.equal(asked.length, before, 'what is there is not asked for again')
  await file.fetch(6 * MIB - 5, 5)
  assert.ok((await readFile(path)).subarray(6 * MIB - 5).equals(whole.subarray(6 * MIB - 5)))
  await assert.rejects(file.fetch(6 * MIB - 5, 6), RangeError)
  await assert.rejects(file.fetch(-1, 6), RangeError)
  await assert.rejects(file.fetch(0, 0), RangeError)
})

test('a stored file one byte over the source size limit is rejected, and an empty file counts as missing [sources.size.1]', async () => {
  const { store, stored } = storeOf([10, 10])
  const open = (maxBytes: number) =>
    openStoredFile(store, stored as never, join(folder, String((files += 1))), { ...options, maxBytes })
  await using file = await open(20)
  assert.equal(file.size, 20)
  await assert.rejects(open(19), { code: 'source_too_large' })
  await assert.rejects(openStoredFile(store, [] as never, join(folder, 'none'), options), {
    code: 'source_unreachable',
  })
})
