import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { DoneSegment } from '../../requests/segments/queue.ts'
import type { Store } from '../../store/store.ts'
import { createLog } from '../../telemetry/log.ts'
import { readSegments } from './read-segments.ts'

const folder = await sharedFolder('mediamill-parts-')
const signal = new AbortController().signal
const log = createLog('silent', 'test')

const FILES = Array.from({ length: 9 }, (_, number) => Buffer.alloc(100 + number, number))
const MADE = FILES.map((file, number): DoneSegment => ({ number, key: String(number), size: file.length, data: {} }))

const open: Store['open'] = async (key) => {
  const file = FILES[Number(key)]
  return file && { body: Readable.from([file]), size: file.length }
}

test('a worker reads the files of all segments in order, even if a read from the store fails at first', async () => {
  let failures = 0
  const failing: Store['open'] = async (key, range) => {
    if (key === '3' && failures === 0) {
      failures += 1
      throw new Error('the store is away')
    }
    return await open(key, range)
  }
  const assets = await readSegments({ open: failing }, MADE, { folder, signal, log })
  assert.deepEqual(
    assets?.map(({ url, size }) => [url, size]),
    FILES.map((file, number) => [String(number), file.length]),
  )
  for (const [number, { path }] of (assets ?? []).entries()) assert.deepEqual(await readFile(path), FILES[number])
  assert.equal(failures, 1)
})

test('a worker joins no segments if the file of one segment is missing', async () => {
  const other = await mkdtemp(join(tmpdir(), 'mediamill-parts-'))
  const without: Store['open'] = async (key, range) => (key === '5' ? undefined : await open(key, range))
  assert.equal(await readSegments({ open: without }, MADE, { folder: other, signal, log }), undefined)
  await rm(other, { recursive: true })
})
