import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { test } from 'node:test'
import type { EngineReply } from './messages.ts'

function start() {
  const child = fork(new URL('./serve-fixture.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const replies = on(child, 'message', { close: ['exit'] })
  let errors = ''
  child.stderr?.on('data', (text) => (errors += text))
  const next = async (): Promise<EngineReply | undefined> => (await replies.next()).value?.[0]
  const give = (task: string) =>
    child.send({ task, input: {}, assets: [], parameters: {}, scratch: 'here', limits: {} })
  return { child, next, give, errors: () => errors }
}

test('an engine reports that it is ready, runs jobs in sequence, and exits when its channel closes', async () => {
  const { child, next, give } = start()
  assert.deepEqual(await next(), { type: 'ready' })
  for (let job = 0; job < 2; job += 1) {
    give('succeed')
    assert.deepEqual(await next(), { type: 'progress', percent: 50 })
    assert.deepEqual(await next(), { type: 'done', data: { scratch: 'here' }, files: [], units: 1 })
  }
  const exit = once(child, 'exit')
  child.disconnect()
  assert.deepEqual(await exit, [0, null])
})

test('if a job fails with an expected error, the engine reports the error and a cause for the log, and runs the next job', async () => {
  const { child, next, give } = start()
  assert.deepEqual(await next(), { type: 'ready' })
  give('fail')
  const reply = await next()
  const error = { code: 'processing_failed', message: 'For the client.', operation: 3 }
  assert.partialDeepStrictEqual(reply, { type: 'failed', error })
  assert.match(reply?.type === 'failed' ? (reply.cause ?? '') : '', /for the log/)
  give('succeed')
  assert.equal((await next())?.type, 'progress')
  assert.equal((await next())?.type, 'done')
  const exit = once(child, 'exit')
  child.disconnect()
  await exit
})

test("an engine waits for the worker's response to a request before it sends the next request", async () => {
  const { child, next, give } = start()
  assert.deepEqual(await next(), { type: 'ready' })
  give('ask')
  for (const [bytes, percent] of [
    [1, 10],
    [2, 20],
  ]) {
    assert.deepEqual(await next(), { type: 'reserve', bytes })
    child.send({ type: 'granted' })
    assert.deepEqual(await next(), { type: 'progress', percent })
  }
  assert.equal((await next())?.type, 'done')
  const exit = once(child, 'exit')
  child.disconnect()
  await exit
})

test('an unexpected error ends the engine process without a reply', async () => {
  for (const task of ['break', 'no such task', 'toString']) {
    const { child, next, give, errors } = start()
    assert.deepEqual(await next(), { type: 'ready' })
    const exit = once(child, 'close')
    give(task)
    assert.deepEqual(await exit, [1, null])
    assert.equal(await next(), undefined)
    assert.match(errors(), task === 'break' ? /a bug/ : /no such task/)
  }
})
