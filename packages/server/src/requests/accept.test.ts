import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { newUploadId } from '@mediamill/contract/domain/uploads'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { findAccount } from '../db/accounts/accounts.ts'
import { insertUpload } from '../db/uploads/uploads.ts'
import { sendNotifications, subscribe } from '../queue/notifications.ts'
import { accept } from './accept.ts'

const { sql } = await sharedDatabase()

async function race(count: number, call: (index: number) => Promise<unknown>) {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)))
  const codes = results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    assert.ok(result.reason instanceof ApiError, String(result.reason))
    return [result.reason.code]
  })
  return { accepted: count - codes.length, codes: [...new Set(codes)] }
}

test('an accepted call becomes a queued request, and holds its price from the balance [requests.states.1, billing.holds.1]', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id, { customer: 'c', metadata: { z: '1', a: '2' } }))
  assert.equal(request.status, 'queued')
  assert.deepEqual(Object.keys(request.metadata ?? {}), ['z', 'a'])
  const row = await findAccount(sql, account.id)
  assert.equal(row?.held, 2_000)
  assert.equal(row?.balance, 1_000_000)
  assert.equal(row?.openLive, 1)
})

test('the service wakes the workers after an accepted call, but not after a rejected call', async () => {
  const woken: string[] = []
  const last = Promise.withResolvers<void>()
  const queue = (lanes: string[]) => {
    if (lanes.includes('deliveries')) last.resolve()
    else woken.push(...lanes)
  }
  const listening = await subscribe(sql, { queue })
  const account = await openAccount(sql)
  await accept(sql, acceptable(account.id))
  await sql`update accounts set suspended = true where id = ${account.id}`
  await assert.rejects(accept(sql, acceptable(account.id)))
  await sendNotifications(sql, ['queue:deliveries'])
  await last.promise
  assert.deepEqual(woken, ['image'])
  await listening.stop()
})

test('the service rejects a call that uses an upload of another account or mode, and creates nothing [uploads.object.2]', async () => {
  const [own, other] = [await openAccount(sql), await openAccount(sql)]
  const upload = async (accountId: number, livemode: boolean) => {
    const id = newUploadId()
    const asked = { size: 5, filename: null, origin: null, quotaBytes: 1_000_000 }
    await insertUpload(sql, { accountId, livemode, id, ...asked, lifeMs: 60_000 })
    await sql`update uploads set status = 'complete', received = 5, sha256 = ${Buffer.alloc(32)} where id = ${id}`
    return { id, param: 'source' }
  }
  const start = (uploads: { id: string; param: string }[]) => accept(sql, acceptable(own.id, { uploads }))
  for (const foreign of [await upload(other.id, true), await upload(own.id, false)]) {
    await assert.rejects(start([foreign]), { code: 'upload_not_found', param: 'source' })
    await assert.rejects(start([await upload(own.id, true), { ...foreign, param: 'operations.0.image_url' }]), {
      code: 'upload_not_found',
      param: 'operations.0.image_url',
    })
  }
  assert.equal((await findAccount(sql, own.id))?.openLive, 0)
  assert.equal((await start([await upload(own.id, true)])).status, 'queued')
})

test('if PostgreSQL ends the statement that accepts a call because of a deadlock, the service runs the statement again', async () => {
  const account = await openAccount(sql)
  const id = newUploadId()
  const asked = { size: 5, filename: null, origin: null, quotaBytes: 1_000_000 }
  await insertUpload(sql, { accountId: account.id, livemode: true, id, ...asked, lifeMs: 60_000 })
  await sql`update uploads set status = 'complete', received = 5, sha256 = ${Buffer.alloc(32)} where id = ${id}`
  const accepting = await sql.begin(async (tx) => {
    // This transaction does not check for deadlocks for 1 min. Thus, PostgreSQL rolls back the other transaction.
    await tx`set local deadlock_timeout = '1min'`
    await tx`select from accounts where id = ${account.id} for no key update`
    const call = accept(sql, acceptable(account.id, { uploads: [{ id, param: 'source' }] }))
    call.catch(() => undefined)
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    await tx`update uploads set filename = 'a.png' where id = ${id}`
    return { call }
  })
  assert.equal((await accepting.call).status, 'queued')
})

for (const deadlocks of [4, 5])
  test(`the service runs a statement at most 5 times if each run ends in a deadlock [${deadlocks} deadlocks]`, async () => {
    const account = await openAccount(sql)
    // A rollback does not change a sequence, so it counts the runs.
    await sql.unsafe(`
      create sequence runs;
      create function end_run() returns trigger language plpgsql as $$ begin
        if nextval('runs') <= ${deadlocks} then raise exception using errcode = '40P01'; end if;
        return new;
      end $$;
      create trigger end_run before insert on requests for each row execute function end_run()`)
    const call = accept(sql, acceptable(account.id))
    if (deadlocks < 5) assert.equal((await call).status, 'queued')
    else await assert.rejects(call, { code: '40P01' })
    const [row] = await sql<{ runs: number }[]>`select last_value::integer as runs from runs`
    await sql.unsafe('drop trigger end_run on requests; drop function end_run(); drop sequence runs')
    assert.equal(row?.runs, 5)
  })

test('if the last slot is free at each check but taken at each insert, the service returns concurrency_limited after 5 more tries', async () => {
  const account = await openAccount(sql)
  let inserts = 0
  const racing = new Proxy(sql, {
    apply(target, self, args) {
      const text = (args as [TemplateStringsArray])[0].join('')
      const run = () => Reflect.apply(target, self, args)
      const setOpen = (open: number) => sql`update accounts set open_live = ${open} where id = ${account.id}`
      if (/^select .* from accounts where id = $/.test(text)) return setOpen(0).then(run)
      if (!text.includes('update accounts a set')) return run()
      inserts += 1
      return setOpen(1000).then(run)
    },
  })
  await assert.rejects(accept(racing, acceptable(account.id)), { code: 'concurrency_limited' })
  assert.equal(inserts, 1 + 5)
})

test('the service accepts simultaneous calls of an account in the order of their arrival', async () => {
  const account = await openAccount(sql)
  const calls = Array.from({ length: 5 }, (_, index) =>
    accept(sql, acceptable(account.id, { customer: String(index) })),
  )
  await Promise.all(calls)
  const rows = await sql<
    { customer: string }[]
  >`select customer from requests r join jobs j on j.record_id = r.id where r.account_id = ${account.id} order by j.tag`
  assert.deepEqual(
    rows.map(({ customer }) => customer),
    ['0', '1', '2', '3', '4'],
  )
})

test('a test key can create at most 100 requests a day, and test requests hold nothing from the balance [limits.daily.1]', async () => {
  const account = await openAccount(sql)
  const limits = { requestsPerMinute: 10, concurrentRequests: 1000, maxSourceBytes: 1 }
  const { accepted, codes } = await race(130, () => accept(sql, acceptable(account.id, { livemode: false, limits })))
  assert.equal(accepted, 100)
  assert.deepEqual(codes, ['test_mode_daily_limit'])
  assert.equal((await findAccount(sql, account.id))?.held, 0)
  await sql`update accounts set test_day = test_day - 1 where id = ${account.id}`
  const next = await race(130, () => accept(sql, acceptable(account.id, { livemode: false, limits })))
  assert.deepEqual([next.accepted, next.codes], [100, ['test_mode_daily_limit']], 'the next day')
})

test('the service rejects a suspended account, even if it was suspended after its key was checked [auth.keys.6]', async () => {
  const account = await openAccount(sql)
  await sql`update accounts set suspended = true where id = ${account.id}`
  await assert.rejects(accept(sql, acceptable(account.id)), { code: 'account_suspended', status: 403 })
})
