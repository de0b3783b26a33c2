import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { pino } from 'pino'
import type { Store } from '../store/store.ts'
import { storeResults } from './store-results.ts'

const DONE = {
  files: [{ path: '/scratch/result.png', format: 'png' as const, size: 3, sha256: 'ab' }],
  thumbnail: { path: '/scratch/thumbnail.webp', size: 2 },
}
const attempt = {
  requestId: 7 as RequestId,
  signal: new AbortController().signal,
  log: pino({ level: 'silent' }),
}
const STORED = { key: 'result.png', format: 'png', size: 3, sha256: 'ab' }

/** A store of which only `put` is asked. */
const storeThat = (put: Store['put']) => ({ put }) as Store

test('a thumbnail is kept with the first file of its result', async () => {
  const store = storeThat(async (path) => path.slice('/scratch/'.length))
  assert.deepEqual(await storeResults(store, DONE, attempt), [{ ...STORED, thumbnail: 'thumbnail.webp' }])
  assert.deepEqual(await storeResults(store, { files: DONE.files }, attempt), [STORED])
})

test('a thumbnail that the store does not take is tried once, and the result does without it', async () => {
  let tries = 0
  const store = storeThat(async (path) => {
    if (path === DONE.files[0]?.path) return 'result.png'
    tries += 1
    throw new Error('no room')
  })
  assert.deepEqual([await storeResults(store, DONE, attempt), tries], [[STORED], 1])
})
