import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Store } from '../store/store.ts'
import { openStoredFile } from './stored-file.ts'

const folder = await sharedFolder('stored-file-')

const FILE = Buffer.from('a picture of some bytes')
const STORED = [{ key: 'key', size: FILE.length }]
let opened = 0

type OpenedFile = Awaited<ReturnType<Store['open']>>

const whole = (bytes = FILE): OpenedFile => ({ body: Readable.from([bytes]), size: FILE.length })

function broken(): OpenedFile {
  async function* body() {
    yield FILE.subarray(0, 5)
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  }
  return { body: Readable.from(body()), size: FILE.length }
}

function storeOf(...responses: (() => OpenedFile)[]): Pick<Store, 'open'> {
  let turn = 0
  return {
    async open() {
      const response = responses[Math.min(turn, responses.length - 1)]
      turn += 1
      return response?.()
    },
  }
}

const away = (): OpenedFile => {
  throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
}

const read = (store: Pick<Store, 'open'>, more: { onAway?: () => void; signal?: AbortSignal } = {}) => {
  const received = { bytes: 0 }
  const options = { maxBytes: 1_000, signal: new AbortController().signal, received, ...more }
  return openStoredFile(store, STORED, join(folder, `file-${opened++}`), options).then(async (file) => {
    await file[Symbol.asyncDispose]()
    return { head: file.head.toString(), received: received.bytes }
  })
}

test('a read from the store is retried if the store is unavailable, disconnects, or sends too few bytes; bytes that are read again count only once', async () => {
  let reported = 0
  const store = storeOf(away, broken, () => whole(FILE.subarray(0, 7)), whole)
  const found = await read(store, { onAway: () => void (reported += 1) })
  assert.deepEqual([found, reported], [{ head: FILE.toString(), received: FILE.length }, 1])
})

test('a file that is incomplete in the store after all retries is an error', async () => {
  const short = storeOf(() => whole(FILE.subarray(0, 7)))
  await assert.rejects(read(short, { onAway: () => undefined }), /too few bytes/)
})

test('reading a file that is missing in the store fails at once, and so does an unavailable store if the caller does not wait for it', async () => {
  await assert.rejects(
    read(
      storeOf(() => undefined),
      { onAway: () => undefined },
    ),
    { code: 'source_unreachable' },
  )
  await assert.rejects(read(storeOf(away, whole)), { code: 'ECONNREFUSED' })
})

test('a full local disk fails a read from the store at once, because the store is available', async (t) => {
  const probe = await open(join(folder, 'probe'), 'w')
  await probe.close()
  t.mock.method(Object.getPrototypeOf(probe), 'write', () => Promise.reject(new Error('no space left on device')))
  const onAway = () => assert.fail('the store counts as unavailable')
  await assert.rejects(read(storeOf(whole), { onAway }), /a source could not be written/)
})

test('a stopped request does not wait for the store to recover', async () => {
  const stopping = new AbortController()
  const reason = new Error('stopped')
  const reading = read(storeOf(away), { onAway: () => stopping.abort(reason), signal: stopping.signal })
  await assert.rejects(reading, reason)
})
