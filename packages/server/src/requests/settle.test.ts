import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import { sharedDatabase } from '@mediamill/lab/support/database'
import {
  acceptable,
  aliveWorker,
  failed,
  openAccount,
  RETENTION_MS,
  succeeded,
} from '@mediamill/lab/support/request-rows'
import { findAccount } from '../db/accounts/accounts.ts'
import { listDifferences, listMischarged } from '../db/accounts/ledger.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import { claim, renew, requeueOrFail, requeueUncounted, takeOver, updateProgress } from './claim.ts'
import { find } from './find.ts'
import { increaseHold } from './increase-hold.ts'
import { settle } from './settle.ts'

const { sql } = await sharedDatabase()

async function claimed(livemode = true) {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id, { livemode }))
  const worker = await aliveWorker(sql)
  const claim = await claimOf(request.id, worker)
  return { account, request, worker, lease: claim.lease }
}

/** Claims requests until it gets `id`. The queue also contains requests of other tests. */
async function claimOf(id: RequestId, worker: string) {
  for (;;) {
    const found = await claim(sql, worker, 'image', [])
    assert.ok(found, 'the request could not be claimed')
    if (found.request.id === id) return found
  }
}

test('a succeeded live request is charged once, has an event, and releases its hold [billing.charges.1, events.emission.1]', async () => {
  const { account, lease } = await claimed()
  const request = await settle(sql, lease, succeeded(), RETENTION_MS)
  assert.ok(request?.status === 'succeeded')
  assert.equal(request.price, 2_000)
  assert.equal((request.deletedAt?.getTime() ?? 0) - request.completedAt.getTime(), RETENTION_MS)
  const row = await findAccount(sql, account.id)
  assert.equal(row?.balance, 998_000)
  assert.equal(row?.held, 0)
  assert.equal(row?.openLive, 0)
  const events = await sql`select type, id from events where request_id = ${lease.id}`
  assert.equal(events[0]?.['type'], 'request.succeeded')
  assert.match(String(events[0]?.['id']), /^evt_[0-9a-f]{32}$/)
  assert.equal(await settle(sql, lease, succeeded(), RETENTION_MS), undefined)
  assert.equal((await findAccount(sql, account.id))?.balance, 998_000)
})

test('the times of a request are in order, even if the database clock is set back', async () => {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id))
  await sql`update requests set created_at = now() + interval '5 seconds' where id = ${id}`
  const { lease } = await claimOf(id, await aliveWorker(sql))
  const request = await settle(sql, lease, succeeded(), RETENTION_MS)
  assert.ok(request?.status === 'succeeded' && request.startedAt !== null)
  assert.ok(request.startedAt >= request.createdAt && request.completedAt >= request.startedAt)
  for (const ms of Object.values(request.timings ?? {})) assert.ok(ms >= 0, JSON.stringify(request.timings))
})

test('the ledger rejects a second charge for the same request', async () => {
  const { account, lease } = await claimed()
  await settle(sql, lease, succeeded(), RETENTION_MS)
  const again = sql`insert into ledger (account_id, kind, amount, request_id) values (${account.id}, 'charge', -1, ${lease.id})`
  await assert.rejects(again.execute(), { code: '23505', constraint: 'ledger_charge' })
})

test('a failed live request and a succeeded test request cost nothing [billing.charges.1]', async () => {
  const live = await claimed()
  await settle(sql, live.lease, failed(), RETENTION_MS)
  assert.equal((await findAccount(sql, live.account.id))?.balance, 1_000_000)
  const tested = await claimed(false)
  const request = await settle(sql, tested.lease, succeeded(), RETENTION_MS)
  assert.ok(request?.status === 'succeeded')
  assert.equal(request.price, 0)
  assert.equal((await findAccount(sql, tested.account.id))?.balance, 1_000_000)
  assert.deepEqual(await listDifferences(sql), [])
  assert.deepEqual(await listMischarged(sql), [])
})

test('a hold increases to the real cost, never decreases, and is released when the request ends [billing.holds.1]', async () => {
  const { account, lease } = await claimed()
  await increaseHold(sql, lease, microUsd(48_000))
  await increaseHold(sql, lease, microUsd(4_000))
  assert.equal((await findAccount(sql, account.id))?.held, 48_000)
  assert.deepEqual(await listDifferences(sql), [])
  await increaseHold(sql, { ...lease, attempt: lease.attempt + 1 }, microUsd(99_000))
  assert.equal((await findAccount(sql, account.id))?.held, 48_000, 'not by an attempt that does not hold it')
  await settle(sql, lease, succeeded(48_000), RETENTION_MS)
  await increaseHold(sql, lease, microUsd(99_000))
  const row = await findAccount(sql, account.id)
  assert.deepEqual([row?.held, row?.balance], [0, 952_000])
})

test('an increased hold counts toward the daily spend of the day on which the request was created, and not of a later day [auth.restricted.6]', async () => {
  const { account, lease } = await claimed()
  const [key] = await sql<{ id: number }[]>`
    insert into api_keys (account_id, name, livemode, hash, last_four, restrictions, spent, spent_on)
    values (${account.id}, 'page', true, ${randomBytes(32)}, 'abcd', '{"daily_spend": "5"}', 2000, (now() at time zone 'utc')::date)
    returning id`
  const id = key?.id ?? assert.fail('no key')
  await sql`update requests set key_id = ${id} where id = ${lease.id}`
  const spent = async () =>
    (await sql<{ spent: number }[]>`select spent::integer from api_keys where id = ${id}`)[0]?.spent
  await increaseHold(sql, lease, microUsd(8_000))
  assert.equal(await spent(), 8_000)
  await sql`update requests set created_at = created_at - interval '1 day' where id = ${lease.id}`
  await sql`update api_keys set spent = 3000 where id = ${id}`
  await assert.rejects(increaseHold(sql, lease, microUsd(5_008_001)), /can spend \$5\.00 a day/)
  await increaseHold(sql, lease, microUsd(9_000))
  await settle(sql, lease, succeeded(9_000), RETENTION_MS)
  assert.equal(await spent(), 3_000)
})

test("a job that costs more than the balance completes and is charged, and the account's next call is rejected [billing.holds.2]", async () => {
  const { account, lease } = await claimed()
  await increaseHold(sql, lease, microUsd(3_000_000))
  await assert.rejects(accept(sql, acceptable(account.id)), { code: 'insufficient_credits' })
  await settle(sql, lease, succeeded(3_000_000), RETENTION_MS)
  assert.equal((await findAccount(sql, account.id))?.balance, -2_000_000)
  assert.deepEqual(await listDifferences(sql), [])
})

test('if an abort and a completion race, exactly one wins, and the ledger is consistent [requests.abort.4]', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { account, request, lease } = await claimed()
    const [settled, aborted] = await Promise.allSettled([
      settle(sql, lease, succeeded(), RETENTION_MS),
      abort(sql, account.id, request.id),
    ])
    const workerWon = settled.status === 'fulfilled' && settled.value !== undefined
    assert.equal(aborted.status === 'fulfilled', !workerWon)
    const row = await findAccount(sql, account.id)
    assert.equal(row?.balance, workerWon ? 998_000 : 1_000_000)
    assert.equal(row?.held, 0)
    assert.equal((await find(sql, account.id, request.id)).status, workerWon ? 'succeeded' : 'aborted')
  }
})

test('if several aborts race, one succeeds and the others get request_finished [requests.abort.3]', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => abort(sql, account.id, request.id)))
  assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
  for (const result of results) {
    if (result.status === 'rejected') assert.equal(result.reason.code, 'request_finished')
  }
  const [{ count } = { count: 0 }] =
    await sql`select count(*)::int as count from events where request_id = ${request.id}`
  assert.equal(count, 1)
})

test('two workers never have the lease of the same request', async () => {
  const account = await openAccount(sql)
  const ids = new Set<number>()
  for (let index = 0; index < 20; index += 1) ids.add((await accept(sql, acceptable(account.id))).id)
  const workers = await Promise.all([aliveWorker(sql), aliveWorker(sql)])
  const taken = await Promise.all(
    Array.from({ length: 60 }, (_, index) => claim(sql, workers[index % 2] ?? '', 'image', [])),
  )
  const mine = taken.flatMap((found) => (found !== undefined && ids.has(found.request.id) ? [found.request.id] : []))
  assert.equal(new Set(mine).size, mine.length)
  assert.equal(mine.length, 20)
})

test('a worker that lost its request can neither complete the request nor store its progress', async () => {
  const { account, request, lease, worker } = await claimed()
  await sql`update workers set seen_at = now() - interval '1 minute' where id = ${worker}`
  await takeOver(sql, RETENTION_MS)
  const second = await aliveWorker(sql)
  const again = await claimOf(request.id, second)
  assert.equal(again.lease.attempt, 2)
  assert.equal(await settle(sql, lease, succeeded(), RETENTION_MS), undefined)
  await updateProgress(sql, lease, 50)
  const current = await find(sql, account.id, request.id)
  assert.ok(current.status === 'processing')
  assert.equal(current.progress, 0)
  assert.deepEqual(await renew(sql, { id: worker, host: 'test' }, [request.id]), [request.id])
  assert.ok(await settle(sql, again.lease, succeeded(), RETENTION_MS))
})

test('a worker that lost its request cannot requeue it, even if a later attempt has the same attempt number', async () => {
  const { request, lease, worker } = await claimed()
  // The requeued attempt does not count, so the next worker's attempt gets the same number.
  await requeueUncounted(sql, lease)
  const second = await aliveWorker(sql)
  const again = await claimOf(request.id, second)
  assert.deepEqual([again.lease.attempt, worker === second], [lease.attempt, false])
  await requeueOrFail(sql, lease, RETENTION_MS)
  await requeueUncounted(sql, lease)
  assert.equal((await settle(sql, again.lease, succeeded(), RETENTION_MS))?.status, 'succeeded')
})

test('an attempt that a newer attempt of the same worker has replaced can neither complete the request nor store progress', async () => {
  const { account, request, lease, worker } = await claimed()
  await requeueOrFail(sql, lease, RETENTION_MS)
  const again = await claimOf(request.id, worker)
  assert.deepEqual(again.lease, { ...lease, attempt: 2 })
  assert.equal(await settle(sql, lease, succeeded(), RETENTION_MS), undefined)
  await updateProgress(sql, lease, 50)
  const current = await find(sql, account.id, request.id)
  assert.deepEqual([current.status, 'progress' in current && current.progress], ['processing', 0])
  assert.equal((await settle(sql, again.lease, succeeded(), RETENTION_MS))?.status, 'succeeded')
})

test('another worker takes over a request if its worker has sent no heartbeat for 10 s, but not if a heartbeat is just late [requests.states.4]', async () => {
  const { account, request, worker } = await claimed()
  const silentFor = async (seconds: number) => {
    await sql`update workers set seen_at = now() - ${seconds} * interval '1 second' where id = ${worker}`
    await takeOver(sql, RETENTION_MS)
    const [row] = await sql`select worker_id from requests where id = ${request.id}`
    return row?.['worker_id'] === null
  }
  assert.equal(await silentFor(5), false)
  // A worker counts as lost 8 s after its last heartbeat. The rest of the 15 s is for the next check of another worker.
  assert.equal(await silentFor(10), true)
  assert.equal((await find(sql, account.id, request.id)).status, 'processing')
})

test('a request whose worker was lost three times fails with processing_failed [requests.states.4]', async () => {
  const { account, request } = await claimed()
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    await sql`update workers set seen_at = now() - interval '1 minute'`
    await takeOver(sql, RETENTION_MS)
    const current = await find(sql, account.id, request.id)
    if (attempt === 4) {
      assert.ok(current.status === 'failed')
      assert.equal(current.error.code, 'processing_failed')
    } else {
      await claimOf(request.id, await aliveWorker(sql))
      await takeOver(sql, RETENTION_MS)
      assert.equal((await find(sql, account.id, request.id)).status, 'processing', 'its worker lives')
    }
  }
  assert.equal((await findAccount(sql, account.id))?.held, 0)
})

test('many queued requests of one account do not delay another account, because accounts take turns', async () => {
  await sql`update requests set worker_id = null, completed_at = now(), status = 'aborted' where completed_at is null`
  await sql`update accounts set held = 0, open_live = 0, open_test = 0`
  const [busy, late] = [await openAccount(sql), await openAccount(sql)]
  for (let index = 0; index < 10; index += 1) await accept(sql, acceptable(busy.id))
  await accept(sql, acceptable(late.id))
  const worker = await aliveWorker(sql)
  const order: number[] = []
  for (let index = 0; index < 3; index += 1) order.push((await claim(sql, worker, 'image', []))?.request.accountId ?? 0)
  assert.ok(order.includes(late.id), `${late.id} is not among the first three of ${order.join()}`)
  assert.notEqual((await claim(sql, worker, 'image', [busy.id]))?.request.accountId, busy.id)
})

test('if many requests end at the same time, each is charged, reported, and counted once [requests.states.3]', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => openAccount(sql)))
  const worker = await aliveWorker(sql)
  const taken = new Map<number, Awaited<ReturnType<typeof claimOf>>>()
  for (let nth = 0; nth < 30; nth += 1) {
    const differing = { livemode: nth % 5 > 0, customer: nth % 2 === 0 ? 'even' : null }
    const { id } = await accept(sql, acceptable(accounts[nth % 3]?.id ?? 0, differing))
    taken.set(nth, await claimOf(id, worker))
  }
  const [gone, lost] = [taken.get(1), taken.get(2)]
  assert.ok(gone && lost)
  await abort(sql, gone.request.accountId, gone.request.id)
  const ends = await Promise.all(
    [...taken].map(([nth, { lease }]) => {
      const mine = nth === 2 ? { ...lease, attempt: 2 } : lease
      return settle(sql, mine, nth % 7 === 0 ? failed() : succeeded(1_000 + nth), RETENTION_MS)
    }),
  )
  for (const [nth, end] of ends.entries()) {
    if (nth === 1 || nth === 2) assert.equal(end, undefined)
    else assert.deepEqual([end?.id, end?.status], [taken.get(nth)?.request.id, nth % 7 === 0 ? 'failed' : 'succeeded'])
    if (end?.status === 'succeeded') assert.equal(end.price, nth % 5 > 0 ? 1_000 + nth : 0)
  }
  for (const { id } of accounts) {
    const [row] = await sql`
      select (select array_agg(sequence order by sequence) from events where account_id = ${id}) as sequences,
        (select count(*) from requests where account_id = ${id} and completed_at is not null) as ended,
        (select sum(succeeded + failed + aborted) from usage_days where account_id = ${id} and scope = '*') as counted,
        (select sum(succeeded + failed + aborted) from usage_days where account_id = ${id} and scope <> '*') as apart,
        (select sum(spent) from usage_days where account_id = ${id} and scope = '*') as spent,
        (select sum(price) from requests where account_id = ${id}) as charged,
        (
          select array[sum(succeeded_source_bytes) - 100 * sum(succeeded), sum(failed_source_bytes) - 5 * sum(failed),
            sum(result_bytes) - 10 * sum(succeeded)]::integer[]
          from usage_days where account_id = ${id} and scope = '*'
        ) as bytes,
        (select open_live + open_test from accounts where id = ${id}) as open,
        (select count(*) from requests where account_id = ${id} and completed_at is null) as still`
    assert.ok(row)
    assert.deepEqual(
      row['sequences'],
      Array.from({ length: Number(row['ended']) }, (_, at) => at + 1),
    )
    assert.deepEqual([Number(row['counted']), Number(row['apart'])], [row['ended'], row['ended']])
    assert.equal(Number(row['spent']), Number(row['charged']))
    assert.deepEqual(row['bytes'], [0, 0, 0], 'read for results, read for nothing, and made')
    assert.equal(row['open'], row['still'])
  }
  assert.deepEqual(await listDifferences(sql), [])
  assert.deepEqual(await listMischarged(sql), [])
  assert.ok(await settle(sql, lost.lease, succeeded(), RETENTION_MS))
})

test('if the database rejects one completion in a batch, the other completions in the batch succeed', async () => {
  const { lease: broken } = await claimed()
  const { lease: good } = await claimed()
  const outcome = succeeded()
  const rejected = { ...succeeded(), price: Number.MAX_VALUE as MicroUsd } as typeof outcome
  const ends = await Promise.allSettled(
    [claimed().then(({ lease }) => lease), broken, good].map(async (lease) => {
      const mine = await lease
      return await settle(sql, mine, mine === broken ? rejected : outcome, RETENTION_MS)
    }),
  )
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const [, , last] = ends
  assert.ok(last?.status === 'fulfilled' && last.value?.status === 'succeeded')
})

test('the completion of a request wakes webhook delivery only if the request has a webhook URL', async () => {
  const account = await openAccount(sql)
  const worker = await aliveWorker(sql)
  let reported = 0
  const end = async (webhookUrl: string | null) => {
    const { id } = await accept(sql, acceptable(account.id, { webhookUrl }))
    const { lease } = await claimOf(id, worker)
    await settle(sql, lease, succeeded(), RETENTION_MS, { onAddressed: () => (reported += 1) })
    return reported
  }
  assert.deepEqual([await end(null), await end('https://example.com/hook')], [0, 1])
  await sql`update accounts set webhook_url = 'https://example.com/all' where id = ${account.id}`
  assert.equal(await end(null), 2)
})

test('a worker without a row in the workers table cannot complete a request', async () => {
  const { lease } = await claimed()
  assert.equal(await settle(sql, { ...lease, workerId: randomUUID() }, succeeded(), RETENTION_MS), undefined)
})
