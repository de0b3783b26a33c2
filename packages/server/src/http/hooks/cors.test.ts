import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { allowOrigins } from './cors.ts'

test('any number of CORS preflight requests causes at most one database query in 2 s', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  let queries = 0
  let isAny = true
  const app = fastify()
  allowOrigins(app, [], () => {
    queries += 1
    return Promise.resolve(isAny)
  })
  const preflight = async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    return (await app.inject({ method: 'OPTIONS', url: '/v1/account', headers })).statusCode
  }
  assert.deepEqual(await Promise.all([preflight(), preflight(), preflight()]), [204, 204, 204])
  assert.equal(queries, 1)
  isAny = false
  t.mock.timers.tick(2_000)
  assert.equal(await preflight(), 404)
  assert.equal(queries, 2)
})
