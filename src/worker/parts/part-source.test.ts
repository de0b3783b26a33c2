import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SparseFile } from '../../outbound/fetch/sparse-file.ts'
import { fetchRest, stateOf } from './part-source.ts'

/** A source of so many bytes, of which only the first are there. */
function sparse(size: number, presentBytes: number, version?: SparseFile['version']) {
  const asked: [number, number][] = []
  const file: SparseFile = {
    size,
    head: Buffer.alloc(0),
    presentBytes,
    ...(version !== undefined && { version }),
    async fetch(offset, length) {
      asked.push([offset, length])
    },
    [Symbol.asyncDispose]: async () => {},
  }
  return { file, asked }
}

const MEGABYTES = 1024 * 1024

test('a source that its server tells the state of, or that the store has, can be read in parts; no other can', () => {
  const state = (version?: SparseFile['version']) => stateOf(sparse(10, 10, version).file, undefined)
  assert.deepEqual(state({ total: 10, validator: '"1"' }), { kind: 'url', total: 10, validator: '"1"' })
  assert.equal(state({ total: 10, validator: undefined }), undefined, 'parts of two states could not be told apart')
  assert.equal(state(), undefined, 'its server serves no parts')
  const files = [
    { key: 'a', size: 4 },
    { key: 'b', size: 6 },
  ]
  assert.deepEqual(stateOf(sparse(10, 10).file, files), { kind: 'stored', files })
})

test('what is missing of a source is fetched once, in pieces of a bounded size', async () => {
  const { file, asked } = sparse(21 * MEGABYTES, 2 * MEGABYTES)
  await fetchRest(file, new AbortController().signal)
  assert.deepEqual(asked, [
    [2 * MEGABYTES, 8 * MEGABYTES],
    [10 * MEGABYTES, 8 * MEGABYTES],
    [18 * MEGABYTES, 3 * MEGABYTES],
  ])
  const whole = sparse(10, 10)
  await fetchRest(whole.file, new AbortController().signal)
  assert.deepEqual(whole.asked, [])
  await assert.rejects(fetchRest(file, AbortSignal.abort(new Error('stopped'))), /stopped/)
})
