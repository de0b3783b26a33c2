import assert from 'node:assert/strict'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openSharedSource } from './shared-source.ts'

const folder = await sharedFolder('mediamill-shared-source-')
const newPath = async () => join(await mkdtemp(join(folder, 'job-')), 'source')

const MEGABYTE = 1024 * 1024
const content = Buffer.alloc(3 * MEGABYTE + 7, 'a different byte at each place, nearly')

function lend(failure?: Error) {
  const fetched: [number, number][] = []
  const ended = new AbortController()
  const file = {
    size: content.length,
    async fetch(offset: number, length: number) {
      if (failure !== undefined) throw failure
      fetched.push([offset, length])
    },
    async read(offset: number, length: number) {
      assert.ok(fetched.some(([from, count]) => from <= offset && offset + length <= from + count))
      return content.subarray(offset, offset + length)
    },
  }
  return { shared: { file, signal: ended.signal }, fetched, ended }
}

const { signal } = new AbortController()

test('a segment copies only the bytes that it reads from a shared source, and copies each byte only once', async () => {
  const { shared, fetched } = lend()
  const path = await newPath()
  await using source = await openSharedSource(shared, path, signal)
  assert.deepEqual([source.size, source.presentBytes], [content.length, MEGABYTE])
  assert.deepEqual(source.head, content.subarray(0, 64 * 1024))
  await source.fetch(2 * MEGABYTE, MEGABYTE + 7)
  await source.fetch(2 * MEGABYTE + 5, 100)
  assert.deepEqual(fetched, [
    [0, MEGABYTE],
    [2 * MEGABYTE, MEGABYTE],
    [3 * MEGABYTE, 7],
  ])
  const copied = await readFile(path)
  assert.equal(copied.length, content.length)
  assert.ok(copied.subarray(0, MEGABYTE).equals(content.subarray(0, MEGABYTE)))
  assert.ok(copied.subarray(2 * MEGABYTE).equals(content.subarray(2 * MEGABYTE)))
  assert.ok(copied.subarray(MEGABYTE, 2 * MEGABYTE).every((byte) => byte === 0))
  await assert.rejects(source.fetch(content.length, 1), RangeError)
})

test('a segment fails with the error of its shared download, but is retried if the attempt that runs the download has ended', async () => {
  const failure = new RequestFailure('source_unreachable', 'The source changed.')
  const { shared, ended } = lend(failure)
  await assert.rejects(openSharedSource(shared, await newPath(), signal), failure)
  ended.abort(new Error('the lease is lost'))
  const isRetried = (error: unknown) => error instanceof Error && !(error instanceof RequestFailure)
  await assert.rejects(openSharedSource(shared, await newPath(), signal), isRetried)
  await assert.rejects(
    openSharedSource(lend().shared, await newPath(), AbortSignal.abort(new Error('stopped'))),
    /stopped/,
  )
})
