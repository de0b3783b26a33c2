import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { parseAllowedHosts } from './guard/allowed-hosts.ts'
import type { PutOutcome } from './put.ts'
import { put } from './put.ts'

/** What both threads look at: whether the call's first bytes came, whether its sender is held, and whether the connection is gone. */
const [CAME, HELD, GONE] = [0, 1, 2]

/**
 * Answers a call of which it has read a part, resets the connection, and wakes whoever waits for that.
 * It answers only while the sender is held, who would otherwise read the answer like any other.
 */
const REFUSER = `
  const { createServer } = require('node:net')
  const { workerData: { state, answer }, parentPort } = require('node:worker_threads')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.pause()
      Atomics.store(state, ${CAME}, 1)
      Atomics.wait(state, ${HELD}, 0)
      socket.once('close', () => {
        Atomics.store(state, ${GONE}, 1)
        Atomics.notify(state, ${GONE})
      })
      socket.write(answer, () => socket.resetAndDestroy())
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** Puts a file of which the second piece is written after the answer has come and the connection is gone, before a byte of it is read. */
async function putTo(answer: string): Promise<PutOutcome> {
  const state = new Int32Array(new SharedArrayBuffer(12))
  const refuser = new Worker(REFUSER, { eval: true, workerData: { state, answer } })
  const [port] = (await once(refuser, 'message')) as [number]
  let isOver = false
  async function* pieces() {
    yield Buffer.alloc(100_000)
    while (Atomics.load(state, CAME) === 0 && !isOver) await nextTurn()
    // Of a call that is over the refuser is gone as well, and would wake nobody.
    if (isOver) return
    Atomics.store(state, HELD, 1)
    Atomics.notify(state, HELD)
    // Nothing of this thread runs meanwhile, so that it reads nothing either.
    Atomics.wait(state, GONE, 0)
    yield Buffer.alloc(100_000)
    yield Buffer.alloc(100_000)
  }
  try {
    return await put(`http://127.0.0.1:${port}/a.png`, {
      network: { allowedHosts: parseAllowedHosts(`127.0.0.1:${port}`) },
      headers: {},
      size: 300_000,
      body: Readable.from(pieces()),
      signal: new AbortController().signal,
      deadlineMs: 20_000,
    })
  } finally {
    isOver = true
    await refuser.terminate()
  }
}

test('a receiver that refuses and resets the connection before it has read all is told by its status [destinations.attempts.2]', async () => {
  assert.deepEqual(await putTo('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'), { status: 403 })
})

test('a receiver that resets the connection without an answer, or with a success for a part, is no success [destinations.attempts.1]', async () => {
  assert.partialDeepStrictEqual(await putTo('\r\n'), { reason: 'its server closed the connection without an answer' })
  assert.deepEqual(await putTo('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), {
    reason: 'its server answered before it had taken it',
  })
})
