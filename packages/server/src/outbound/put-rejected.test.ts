import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { parseAllowedHosts } from './guard/allowed-hosts.ts'
import type { PutOutcome } from './put.ts'
import { put } from './put.ts'

const [CALL_ARRIVED, SENDER_BLOCKED, GONE] = [0, 1, 2]

/**
 * The code of a server that resets the connection after its response. It waits until the sender is blocked, because
 * otherwise the sender would read the response before the reset.
 */
const RESETTING_SERVER = `
  const { createServer } = require('node:net')
  const { workerData: { state, answer }, parentPort } = require('node:worker_threads')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.pause()
      Atomics.store(state, ${CALL_ARRIVED}, 1)
      Atomics.wait(state, ${SENDER_BLOCKED}, 0)
      socket.once('close', () => {
        Atomics.store(state, ${GONE}, 1)
        Atomics.notify(state, ${GONE})
      })
      socket.write(answer, () => socket.resetAndDestroy())
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

async function putTo(response: string): Promise<PutOutcome> {
  const state = new Int32Array(new SharedArrayBuffer(12))
  const server = new Worker(RESETTING_SERVER, { eval: true, workerData: { state, answer: response } })
  const [port] = (await once(server, 'message')) as [number]
  let isOver = false
  async function* pieces() {
    yield Buffer.alloc(100_000)
    while (Atomics.load(state, CALL_ARRIVED) === 0 && !isOver) await nextTurn()
    // If the call has ended, the server has stopped and can wake no thread.
    if (isOver) return
    Atomics.store(state, SENDER_BLOCKED, 1)
    Atomics.notify(state, SENDER_BLOCKED)
    // Blocks this thread. Thus, it also cannot read the response.
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
    await server.terminate()
  }
}

test('an upload to a destination reports the status of a server that rejects the file and resets the connection early [destinations.attempts.2]', async () => {
  assert.deepEqual(await putTo('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'), { status: 403 })
})

test('an upload to a destination fails if the server resets the connection, or sends 200 before it has the whole file [destinations.attempts.1]', async () => {
  assert.partialDeepStrictEqual(await putTo('\r\n'), { reason: 'its server closed the connection without a response' })
  assert.deepEqual(await putTo('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), {
    reason: 'its server responded before it received the whole file',
  })
})
