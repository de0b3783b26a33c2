import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertPurchase, updateSuspended } from '../../src/db/accounts.ts'
import { microUsd } from '../../src/domain/money.ts'
import { openAccount } from '../support/line.ts'
import { startService } from '../support/service.ts'

const service = await startService({ workers: false })
after(() => service[Symbol.asyncDispose]())
const { call, sql } = service

/** A step puts one thing right; `code` is what a call is then refused with. */
type Step = { right?: () => unknown; code: string }

for (const mode of ['live', 'test'] as const) {
  test(`of all that is wrong with a call of a ${mode} key the first in the order of checks is told [4.1, decisions 4]`, async () => {
    const account = await openAccount(sql)
    await sql`
      update accounts set requests_per_minute = 1000, held = balance, open_live = 2, open_test = 2,
        test_accepted = 100, test_day = (now() at time zone 'utc')::date where id = ${account.id}`
    await updateSuspended(sql, account.id, true)
    let key: string | null = null
    let idempotencyKey = ''
    let body = '{'
    const source = 'http://127.0.0.1/'
    const fill = async (allowed: number) =>
      await sql`
        insert into call_windows (account_id, livemode, allowed, batch, calls, ring)
        select ${account.id}, ${mode === 'live'}, ${allowed}, 1, ${allowed}, array_fill(
          (extract(epoch from now()) * 1000)::bigint, array[${allowed}::integer])
        on conflict (account_id, livemode) do update set calls = excluded.calls, ring = excluded.ring`
    const own = mode === 'live' ? 200 : 10
    await sql`update accounts set requests_per_minute = 200 where id = ${account.id}`
    await fill(own)

    const steps: Step[] = [
      { code: 'missing_api_key' },
      { right: () => (key = 'svc_live_none'), code: 'invalid_api_key' },
      { right: () => (key = mode === 'live' ? account.liveKey : account.testKey), code: 'account_suspended' },
      { right: () => updateSuspended(sql, account.id, false), code: 'rate_limited' },
      { right: () => sql`delete from call_windows where account_id = ${account.id}`, code: 'validation_failed' },
      { right: () => (body = '{}'), code: 'validation_failed Idempotency-Key' },
      { right: () => (idempotencyKey = 'k'), code: 'validation_failed source' },
      { right: () => (body = JSON.stringify({ source })), code: 'paid_account_required' },
      ...(mode === 'test'
        ? [
            { right: () => insertPurchase(sql, account.id, microUsd(1), null), code: 'test_mode_daily_limit' },
            {
              right: () => sql`update accounts set test_accepted = 99 where id = ${account.id}`,
              code: 'url_blocked source',
            },
          ]
        : [
            { right: () => insertPurchase(sql, account.id, microUsd(1), null), code: 'insufficient_credits' },
            { right: () => sql`update accounts set held = 0 where id = ${account.id}`, code: 'url_blocked source' },
          ]),
      { right: () => (body = JSON.stringify({ source: 'https://1.1.1.1/' })), code: 'concurrency_limited' },
      { right: () => sql`update accounts set open_live = 0, open_test = 0 where id = ${account.id}`, code: '202' },
    ]
    for (const { right, code } of steps) {
      await right?.()
      if (code === 'concurrency_limited')
        await sql`update accounts set concurrent_requests = 2 where id = ${account.id}`
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
      const answer = await call('POST', '/v1/videos/read', { key, body, headers })
      const { error } = answer.body
      const told = error === undefined ? String(answer.status) : [error.code, error.param].filter(Boolean).join(' ')
      assert.equal(told, code)
    }
  })
}
