import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { openAccount } from '@mediamill/lab/support/request-rows'
import fastify from 'fastify'
import { createKey } from '../../accounts/create-key.ts'
import { connect } from '../../db/connection/connect.ts'
import { handleErrors } from '../errors.ts'
import { bearerOf, rateLimited, requireKey } from './authenticate.ts'

const { sql, ...database } = await createDatabase()
after(() => database[Symbol.asyncDispose]())

test('a call that is rejected with 403 or 429 does not count toward the rate limit, and its headers show that [limits.rate.1]', async () => {
  const account = await openAccount(sql)
  const app = fastify()
  handleErrors(app, 'http://127.0.0.1')
  requireKey(app, { sql })
  app.get('/:status', async (call, reply) => {
    await reply.code(Number((call.params as { status: string }).status)).send()
  })
  const call = async (status: number, key = account.testKey) => {
    const response = await app.inject({ url: `/${status}`, headers: { authorization: `Bearer ${key}` } })
    return [response.statusCode, Number(response.headers['x-ratelimit-remaining']), response.headers['ratelimit']]
  }
  for (const status of [403, 429]) assert.deepEqual(await call(status), [status, 10, '"calls";r=10;t=1'])
  const twenty = Array.from({ length: 20 }, (_, nth) => call(nth % 2 === 0 ? 422 : 409))
  const accepted = (await Promise.all(twenty)).filter(([status]) => status !== 429)
  assert.equal(accepted.length, 10)
  const [status, remaining] = await call(429)
  assert.deepEqual([status, remaining], [429, 0])
  const restrictions = { expires_at: '2020-01-01T00:00:00.000Z' }
  const expired = await createKey(sql, account.id, { mode: 'live', name: '', restrictions })
  for (let count = 0; count < 2; count += 1) assert.deepEqual((await call(200, expired?.key)).slice(0, 2), [403, 30])
  await app.close()
})

for (const status of [403, 429])
  test(`after 600 calls whose handler returns ${status} in a minute, further calls count, so that they are limited [limits.rate.1]`, async () => {
    const account = await openAccount(sql)
    await sql`update accounts set requests_per_minute = 1000 where id = ${account.id}`
    const app = fastify()
    requireKey(app, { sql })
    app.get('/', async (_, reply) => await reply.code(status).send())
    const left = async () => {
      const { headers } = await app.inject({ url: '/', headers: { authorization: `Bearer ${account.liveKey}` } })
      return Number(headers['x-ratelimit-remaining'])
    }
    await Promise.all(Array.from({ length: 600 }, left))
    assert.deepEqual([await left(), await left()], [999, 998])
    await app.close()
  })

test('a call that returns 429 while the database is unavailable counts, and its response does not change', async () => {
  const account = await openAccount(sql)
  const pool = connect(database.url, { connections: 1, applicationName: 'test' })
  const app = fastify()
  requireKey(app, { sql: pool })
  app.get('/', async (_, reply) => {
    await pool.end()
    await reply.code(429).send('full')
  })
  const headers = { authorization: `Bearer ${account.liveKey}` }
  const response = await app.inject({ url: '/', headers })
  assert.deepEqual(
    [response.statusCode, response.body, response.headers['x-ratelimit-remaining']],
    [429, 'full', String(Number(response.headers['x-ratelimit-limit']) - 1)],
  )
  await app.close()
})

test('authentication reads the API key from the Authorization header, and ignores only spaces around the key [auth.keys.1]', () => {
  const keyIn = (authorization?: string) => bearerOf({ headers: authorization === undefined ? {} : { authorization } })
  for (const header of ['Bearer a b', 'bearer a b', 'BEARER   a b   ']) assert.equal(keyIn(header), 'a b', header)
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer    ',
    'Bearera',
    'Basic a',
    'Bearer a\xa0',
    'Bearer\ta',
  ]) {
    assert.equal(keyIn(header), undefined, header)
  }
})

test('the error of an exceeded rate limit has the limit and the seconds to wait [limits.rate.3]', () => {
  for (const [resetSeconds, wait] of [
    [1, '1 second'],
    [2, '2 seconds'],
  ] as const) {
    const { message, retryAfterSeconds } = rateLimited(true, { limit: 120, resetSeconds })
    assert.match(message, naming('live keys of this account', 'at most 120 calls a minute', `in ${wait}.`))
    assert.equal(retryAfterSeconds, resetSeconds)
    assert.match(
      rateLimited(false, { limit: 10, resetSeconds }).message,
      naming('test keys of this account', 'at most 10 calls a minute', `in ${wait}.`, 'Live keys'),
    )
  }
})
