import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { until } from '@mediamill/lab/support/process'
import Fastify from 'fastify'
import { handleErrors, newRequestId } from '../errors.ts'
import { limitCallTime } from './call-timeout.ts'

const CALL_TIMEOUT_MS = 40

function hanging(where: 'onRequest' | 'handler', clock?: () => number) {
  const never = new Promise<never>(() => {})
  const app = Fastify({ genReqId: newRequestId })
  handleErrors(app, 'http://localhost')
  limitCallTime(app, CALL_TIMEOUT_MS, clock)
  if (where === 'onRequest') app.addHook('onRequest', () => never)
  app.get('/', () => never)
  app.post('/', async () => ({ done: true }))
  return app
}

for (const where of ['onRequest', 'handler'] as const) {
  test(`a call whose ${where} never ends returns 503 server_error with Retry-After [errors.calls.2]`, async () => {
    const app = hanging(where)
    const response = await app.inject('/')
    assert.equal(response.statusCode, 503)
    assert.equal(response.json().error.code, 'server_error')
    assert.equal(response.headers['retry-after'], '5')
    assert.equal(response.json().error.request_id, response.headers['request-id'])
    await app.close()
  })
}

test('the call timeout limits the total time before and after the body of a call', {
  timeout: 60_000,
}, async () => {
  const app = Fastify({ genReqId: newRequestId })
  let now = 0
  handleErrors(app, 'http://localhost')
  limitCallTime(app, CALL_TIMEOUT_MS, () => now)
  app.addHook('onRequest', async () => void (now += 0.8 * CALL_TIMEOUT_MS))
  app.get('/', () => {
    now += 0.3 * CALL_TIMEOUT_MS
    return new Promise<never>(() => {})
  })
  assert.equal((await app.inject('/')).statusCode, 503)
  await app.close()
})

test('if a handler returns a result after its call timed out, the result is dropped without a warning [errors.calls.2]', async () => {
  const lines: { level: number; msg: string }[] = []
  const app = Fastify({
    genReqId: newRequestId,
    logger: { level: 'debug', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } },
  })
  handleErrors(app, 'http://localhost')
  limitCallTime(app, CALL_TIMEOUT_MS)
  const ends = { found: Promise.withResolvers<unknown>(), refused: Promise.withResolvers<never>() }
  const bug = Promise.withResolvers<never>()
  app.get('/found', () => ends.found.promise)
  app.get('/refused', () => ends.refused.promise)
  app.get('/bug', () => bug.promise)
  for (const path of ['/found', '/refused', '/bug']) assert.equal((await app.inject(path)).statusCode, 503)
  lines.length = 0
  ends.found.resolve({ done: true })
  ends.refused.reject(new ApiError('request_not_found', 'No such request.'))
  bug.reject(new Error('a bug'))
  await new Promise(setImmediate)
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [[50, 'call failed after its timeout response was sent']],
  )
  await app.close()
})

test('if a handler sends a response after its call timed out, the response is dropped and its file is closed [errors.calls.2]', async () => {
  const lines: string[] = []
  const app = Fastify({
    genReqId: newRequestId,
    logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } },
  })
  handleErrors(app, 'http://localhost')
  limitCallTime(app, CALL_TIMEOUT_MS)
  const end = Promise.withResolvers<void>()
  const file = Readable.from(['late'])
  const sent = Promise.withResolvers<void>()
  app.get('/', async (_call, reply) => {
    await end.promise
    setImmediate(sent.resolve)
    return await reply.headers({ etag: '"late"' }).send(file)
  })
  assert.equal((await app.inject('/')).statusCode, 503)
  lines.length = 0
  end.resolve()
  await sent.promise
  assert.deepEqual(lines, [])
  assert.equal(file.destroyed, true)
  await app.close()
})

test('the call timeout does not count the time in which the body arrives', async () => {
  const clock = { time: 0, reads: 0 }
  const app = hanging('handler', () => {
    clock.reads += 1
    return clock.time
  })
  const body = Readable.from(
    (async function* () {
      yield '{'
      clock.time += 4 * CALL_TIMEOUT_MS
      const { reads } = clock
      // Each check of all calls reads the clock once.
      await until(() => clock.reads > reads + 1)
      yield '}'
    })(),
  )
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: body,
  })
  assert.equal(response.statusCode, 200)
  await app.close()
})

test('before its timeout, a reply object has no functions of its own, because such functions would keep all earlier calls in memory', async () => {
  const app = Fastify()
  limitCallTime(app, CALL_TIMEOUT_MS)
  app.get('/', async (_call, reply) => ({
    functions: Object.entries(reply).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  }))
  assert.deepEqual((await app.inject('/')).json(), { functions: [] })
  await app.close()
})
