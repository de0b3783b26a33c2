import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { until } from '@mediamill/lab/support/process'
import type { FastifyBaseLogger } from 'fastify'
import Fastify from 'fastify'
import { createLog } from '../telemetry/log.ts'
import { handleErrors, newRequestId } from './errors.ts'

const app = Fastify({ genReqId: newRequestId })
handleErrors(app, 'https://media.example.com')
const thrown = new Map<string, Error>()
app.get('/:name', async ({ params }) => {
  throw thrown.get((params as { name: string }).name) ?? assert.fail()
})
after(() => app.close())

async function responseTo(error: Error) {
  thrown.set('one', error)
  const { statusCode, headers, json } = await app.inject({ method: 'GET', url: '/one' })
  return { status: statusCode, code: json().error.code as string, headers }
}

test('a 4xx error of Fastify becomes validation_failed, and every other error becomes server_error [errors.body.1]', async () => {
  for (const [statusCode, status, code] of [
    [400, 422, 'validation_failed'],
    [431, 422, 'validation_failed'],
    [499, 422, 'validation_failed'],
    [399, 500, 'server_error'],
    [500, 500, 'server_error'],
    [undefined, 500, 'server_error'],
  ] as const) {
    const response = await responseTo(Object.assign(new Error('odd'), { code: 'FST_ERR_ODD', statusCode }))
    assert.deepEqual([response.status, response.code], [status, code], String(statusCode))
  }
})

test('only the response to a call without a valid key has the header WWW-Authenticate [auth.keys.5]', async () => {
  const without = await responseTo(new ApiError('missing_api_key', 'No key.'))
  assert.deepEqual([without.status, without.headers['www-authenticate']], [401, 'Bearer'])
  for (const code of ['not_found', 'validation_failed', 'server_error'] as const) {
    assert.equal('www-authenticate' in (await responseTo(new ApiError(code, 'No.'))).headers, false, code)
  }
})

test('a response has the header Allow or Retry-After only if its value is known [api.paths.1, limits.rate.3]', async () => {
  const bare = await responseTo(new ApiError('not_found', 'No.'))
  assert.deepEqual([bare.status, 'allow' in bare.headers, 'retry-after' in bare.headers], [404, false, false])
  const full = await responseTo(new ApiError('not_found', 'No.', { allow: 'GET, HEAD', retryAfterSeconds: 0 }))
  assert.deepEqual([full.headers['allow'], full.headers['retry-after']], ['GET, HEAD', '0'])
})

test('a client that disconnects before a file stream begins causes no error line in the log', {
  timeout: 60_000,
}, async (t) => {
  const lines: { level: number; msg: string }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as { level: number; msg: string })
  const loggerInstance: FastifyBaseLogger = createLog('debug', 'test', { write })
  const server = Fastify({ genReqId: newRequestId, loggerInstance })
  t.after(() => server.close())
  handleErrors(server, 'https://media.example.com')
  server.post('/gone', async (call, reply) => {
    call.raw.socket.destroy()
    await once(reply.raw, 'close')
    return Readable.from(['late'])
  })
  server.get('/broken', async () => {
    throw Object.assign(new Error('of another stream'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  await assert.rejects(fetch(`${url}/gone`, { method: 'POST', body: 'read' }))
  await fetch(`${url}/broken`)
  await until(() => lines.filter(({ msg }) => msg === 'call failed').length === 2)
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'call failed').map(({ level }) => level),
    [20, 50],
  )
})
