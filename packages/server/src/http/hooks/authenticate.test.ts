import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import fastify from 'fastify'
import { accept } from '../../requests/accept.ts'
import { bearerOf, rateLimited, requireKey } from './authenticate.ts'

const { sql, ...database } = await createDatabase()
after(() => database[Symbol.asyncDispose]())

test('authentication loads the request whose id is in the path only if the route is declared to read a request [auth.scope.2]', async () => {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id))
  const app = fastify()
  requireKey(app, { sql })
  app.get('/requests/:id', { config: { readsRequest: true } }, ({ caller }) => ({ wanted: caller.wanted?.id ?? null }))
  app.post('/requests/:id/abort', ({ caller }) => ({ wanted: caller.wanted?.id ?? null }))
  app.get('/keys/:id', ({ caller }) => ({ wanted: caller.wanted?.id ?? null }))
  const wanted = async (method: 'GET' | 'POST', url: string) =>
    (await app.inject({ method, url, headers: { authorization: `Bearer ${account.liveKey}` } })).json()
  assert.deepEqual(await wanted('GET', `/requests/${id}`), { wanted: id })
  assert.deepEqual(await wanted('POST', `/requests/${id}/abort`), { wanted: null })
  assert.deepEqual(await wanted('GET', `/keys/${id}`), { wanted: null })
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
