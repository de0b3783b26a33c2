import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { accept } from './accept.ts'
import { fingerprintOf } from './fingerprint.ts'
import { hold, releaseKey } from './idempotency.ts'

const { sql } = await sharedDatabase()

const noDigests = () => Promise.resolve(new Map<string, string>())
const of = (value: unknown) => fingerprintOf({ method: 'POST', path: '/v1/images/process', body: value }, noDigests)
const body = await of({ a: 1, b: [{ c: 2, d: 3 }] })
const otherBody = await of({})

test('an idempotency key is bound to the body of its request, and is released if the call creates no request [idempotency.binding.1, idempotency.conflicts.1]', async () => {
  const account = await openAccount(sql)
  const key = { accountId: account.id, livemode: true, key: 'order 2' }
  const first = await hold(sql, key, body)
  assert.ok('hold' in first)
  await assert.rejects(hold(sql, key, otherBody), { code: 'idempotency_key_reused' })
  await releaseKey(sql, key, first.hold.holder)
  const second = await hold(sql, key, body)
  assert.ok('hold' in second)
  const request = await accept(sql, acceptable(account.id, { idempotency: second.hold }))
  assert.deepEqual(await hold(sql, key, body), { replayOf: request.id })
  await assert.rejects(hold(sql, key, otherBody), { code: 'idempotency_key_reused', status: 409 })
  const otherMode = await hold(sql, { ...key, livemode: false }, body)
  assert.ok('hold' in otherMode)
})

test('idempotency keys are separate per account and mode, and a request uses up only its own key [idempotency.keys.1]', async () => {
  const [one, other] = [await openAccount(sql), await openAccount(sql)]
  const scopes = [
    { accountId: one.id, livemode: true, key: 'order 5' },
    { accountId: other.id, livemode: true, key: 'order 5' },
    { accountId: one.id, livemode: false, key: 'order 5' },
  ]
  const holds = await Promise.all(scopes.map((scope) => hold(sql, scope, body)))
  const [first, ...rest] = holds
  assert.ok(first !== undefined && 'hold' in first)
  const made = await accept(sql, acceptable(one.id, { idempotency: first.hold }))
  const bound = [made.id]
  assert.deepEqual(await hold(sql, scopes[0] as (typeof scopes)[0], body), { replayOf: made.id })
  for (const [index, taken] of rest.entries()) {
    const scope = scopes[index + 1] as (typeof scopes)[0]
    assert.ok('hold' in taken)
    await assert.rejects(hold(sql, scope, body), { code: 'idempotency_key_in_use' })
    const own = await accept(sql, acceptable(scope.accountId, { livemode: scope.livemode, idempotency: taken.hold }))
    bound.push(own.id)
  }
  assert.equal(new Set(bound).size, 3)
  for (const [index, id] of bound.entries())
    assert.deepEqual(await hold(sql, scopes[index] as (typeof scopes)[0], body), { replayOf: id })
})

test('an idempotency key creates at most one request, even if the call that reserved the key is accepted twice [idempotency.binding.2]', async () => {
  const account = await openAccount(sql)
  const taken = await hold(sql, { accountId: account.id, livemode: true, key: 'order 4' }, body)
  assert.ok('hold' in taken)
  const call = acceptable(account.id, { idempotency: taken.hold })
  const first = await accept(sql, call)
  await assert.rejects(accept(sql, call), { code: 'idempotency_key_in_use' })
  const [row] = await sql`
    select request_id as "requestId", (select count(*)::integer from requests where account_id = ${account.id}) as made
    from idempotency_keys where account_id = ${account.id}`
  assert.deepEqual({ ...row }, { requestId: first.id, made: 1 })
})

test('if a process dies while it locks an idempotency key, another call can use the key after half a minute; a used key is free again after a day [idempotency.keys.1]', async () => {
  const account = await openAccount(sql)
  const key = { accountId: account.id, livemode: true, key: 'order 3' }
  const lost = await hold(sql, key, body)
  assert.ok('hold' in lost)
  await sql`update idempotency_keys set held_until = now() - interval '1 second' where account_id = ${account.id}`
  const next = await hold(sql, key, body)
  assert.ok('hold' in next)
  const late = acceptable(account.id, { idempotency: lost.hold })
  await assert.rejects(accept(sql, late), { code: 'idempotency_key_in_use', status: 409, retryAfterSeconds: 1 })
  const { limits } = acceptable(account.id)
  const full = { ...late, limits: { ...limits, concurrentRequests: 0 } }
  await assert.rejects(accept(sql, full), { code: 'idempotency_key_in_use' }, 'the key is checked before the limits')
  await accept(sql, acceptable(account.id, { idempotency: next.hold }))
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where account_id = ${account.id}`
  assert.ok('hold' in (await hold(sql, key, body)))
})

test('an idempotency key returns its request for a whole day, although its lock lasts only half a minute [idempotency.replays.1]', async () => {
  const account = await openAccount(sql)
  const key = { accountId: account.id, livemode: true, key: 'order 5' }
  const first = await hold(sql, key, body)
  assert.ok('hold' in first)
  const request = await accept(sql, acceptable(account.id, { idempotency: first.hold }))
  for (const age of ['31 seconds', '1 hour', '23 hours 59 minutes']) {
    await sql`
      update idempotency_keys set created_at = now() - ${age}::interval,
        held_until = now() - ${age}::interval + interval '30 seconds' where account_id = ${account.id}`
    assert.deepEqual(await hold(sql, key, body), { replayOf: request.id }, age)
    await assert.rejects(hold(sql, key, otherBody), { code: 'idempotency_key_reused' }, age)
  }
})
