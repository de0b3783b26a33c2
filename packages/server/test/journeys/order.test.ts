import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { insertPurchase, updateAccount } from '../../src/db/accounts/accounts.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service

/** A step of the test. `fix` removes the error of the previous step. Then the call returns `code`. */
type Step = { fix?: () => unknown; code: string }

for (const mode of ['live', 'test'] as const) {
  test(`a call with a ${mode} key and several errors returns the error that is checked first [api.order.1]`, async () => {
    const account = await openAccount(sql)
    const right = mode === 'live' ? account.liveKey : account.testKey
    await sql`update accounts set requests_per_minute = 10 where id = ${account.id}`
    for (let count = 0; count < 10; count += 1) await call('GET', '/v1/account', { key: right })
    await sql`
      update accounts set held = balance, concurrent_requests = 2, open_live = 2, open_test = 2,
        test_accepted = 100, test_day = (now() at time zone 'utc')::date where id = ${account.id}`
    await updateAccount(sql, account.id, { suspended: true })
    let key: string | null = null
    let idempotencyKey = ''
    let body = '{'
    const source = 'http://127.0.0.1/'
    const steps: Step[] = [
      { code: 'missing_api_key' },
      { fix: () => (key = 'svc_live_none'), code: 'invalid_api_key' },
      { fix: () => (key = right), code: 'account_suspended' },
      { fix: () => updateAccount(sql, account.id, { suspended: false }), code: 'rate_limited' },
      { fix: () => sql`delete from call_windows where account_id = ${account.id}`, code: 'validation_failed' },
      { fix: () => (body = '{}'), code: 'validation_failed Idempotency-Key' },
      { fix: () => (idempotencyKey = 'k'), code: 'validation_failed source' },
      { fix: () => (body = JSON.stringify({ source })), code: 'paid_account_required' },
      ...(mode === 'test'
        ? [
            { fix: () => insertPurchase(sql, account.id, microUsd(1), null), code: 'test_mode_daily_limit' },
            {
              fix: () => sql`update accounts set test_accepted = 99 where id = ${account.id}`,
              code: 'url_blocked source',
            },
          ]
        : [
            { fix: () => insertPurchase(sql, account.id, microUsd(1), null), code: 'insufficient_credits' },
            { fix: () => sql`update accounts set held = 0 where id = ${account.id}`, code: 'url_blocked source' },
          ]),
      { fix: () => (body = JSON.stringify({ source: 'https://1.1.1.1/' })), code: 'concurrency_limited' },
      { fix: () => sql`update accounts set open_live = 0, open_test = 0 where id = ${account.id}`, code: '202' },
    ]
    for (const { fix, code } of steps) {
      await fix?.()
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
      const response = await call('POST', '/v1/videos/read', { key, body, headers })
      const { error } = response.body
      const shown = error === undefined ? String(response.status) : [error.code, error.param].filter(Boolean).join(' ')
      assert.equal(shown, code)
    }
  })
}
