import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { UnsupportedWork } from '@mediamill/contract/endpoints/work'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { createDatabase, sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { acceptable, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { listDifferences, listMischarged } from '../db/accounts/ledger.ts'
import { connect } from '../db/connection/connect.ts'
import { sendNotifications } from '../queue/notifications.ts'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import type { Claim } from '../requests/claim.ts'
import { find } from '../requests/find.ts'
import { settle } from '../requests/settle.ts'
import { createLog } from '../telemetry/log.ts'
import { startRequestLoop } from './request-loop.ts'

const database = await sharedDatabase()
const { sql } = database

const start = (
  work: (claim: Claim, signal: AbortSignal) => Promise<void>,
  {
    slots = 4,
    lanes = ['image'],
    hasDiskSpace = () => true,
  }: { slots?: number; lanes?: Lane[]; hasDiskSpace?: () => boolean } = {},
) =>
  startRequestLoop({
    sql,
    notices: sql,
    lanes: lanes.map((lane) => ({ lane, slots, hasDiskSpace })),
    retentionMs: RETENTION_MS,
    work,
    log: createLog('silent', 'test'),
    restMs: 1,
  })

test('a worker retries an attempt that failed because of the service, and fails the request after the third attempt', async () => {
  const account = await openAccount(sql)
  const twice = await accept(sql, acceptable(account.id, { source: 'https://example.com/twice' }))
  const always = await accept(sql, acceptable(account.id, { source: 'https://example.com/always' }))
  const attempts = new Map<RequestId, number>()
  const ended = Promise.withResolvers<void>()
  const worker = await start(async ({ request, lease }) => {
    attempts.set(request.id, lease.attempt)
    if (request.id === always.id && lease.attempt === 3) ended.resolve()
    if (request.id === always.id || lease.attempt < 2) throw new Error('the disk is full')
    await settle(sql, lease, succeeded(), RETENTION_MS)
  })
  await ended.promise
  const final = async (id: RequestId) => {
    let status = 'queued'
    await until(async () => {
      ;({ status } = await find(sql, account.id, id))
      return status !== 'queued' && status !== 'processing'
    })
    return status
  }
  assert.equal(await final(always.id), 'failed')
  assert.equal(await final(twice.id), 'succeeded')
  await worker.stop(1_000)
  assert.equal(attempts.get(always.id), 3)
  assert.equal(attempts.get(twice.id), 2)
})

test('one account never uses all slots of a worker while another account has waiting requests', async () => {
  const [busy, late] = [await openAccount(sql), await openAccount(sql)]
  for (let index = 0; index < 8; index += 1) await accept(sql, acceptable(busy.id))
  await accept(sql, acceptable(late.id))
  const accountIds: number[] = []
  const of = (account: { id: number }) => accountIds.filter((id) => id === account.id).length
  const both = Promise.withResolvers<void>()
  const full = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const worker = await start(async (claim) => {
    accountIds.push(claim.request.accountId)
    if (of(late) === 1 && of(busy) === 2) both.resolve()
    if (accountIds.length === 4) full.resolve()
    await release.promise
    await settle(sql, claim.lease, succeeded(), RETENTION_MS)
  })
  await both.promise
  await accept(sql, acceptable(late.id))
  await full.promise
  assert.deepEqual([of(busy), of(late)], [2, 2], 'the fourth slot is left to another account')
  release.resolve()
  await worker.stop(5_000)
})

test('a worker runs a long queue in order, each request once, and gives one account at most half of its slots', async () => {
  await using full = await createDatabase()
  const busy = await openAccount(full.sql)
  const first = await accept(full.sql, acceptable(busy.id))
  await full.sql`
    insert into requests (account_id, livemode, endpoint, lane, source, input, turn, hold)
    select account_id, livemode, endpoint, lane, source, input, now() + n * interval '1 second', hold
    from requests, generate_series(1, 299) n where id = ${first.id}`
  await full.sql`update accounts set held = held * 300, open_live = open_live * 300 where id = ${busy.id}`
  const begun: RequestId[] = []
  let [maxActive, active] = [0, 0]
  const all = Promise.withResolvers<void>()
  const worker = await startRequestLoop({
    sql: full.sql,
    notices: full.sql,
    lanes: [{ lane: 'image', slots: 40, hasDiskSpace: () => true }],
    retentionMs: RETENTION_MS,
    async work(claim) {
      begun.push(claim.request.id)
      active += 1
      maxActive = Math.max(maxActive, active)
      await settle(full.sql, claim.lease, succeeded(), RETENTION_MS)
      active -= 1
      if (begun.length === 300 && active === 0) all.resolve()
    },
    log: createLog('silent', 'test'),
  })
  await all.promise
  await worker.stop(1_000)
  assert.equal(new Set(begun).size, 300)
  assert.deepEqual(
    begun,
    begun.toSorted((a, b) => a - b),
    'in their turn',
  )
  assert.ok(maxActive <= 20, `one account held ${maxActive} of 40 slots`)
  assert.deepEqual([...(await listDifferences(full.sql)), ...(await listMischarged(full.sql))], [])
})

test('a stopping worker requeues unfinished requests without counting their attempts', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  const begun = Promise.withResolvers<void>()
  const worker = await start(async (claim, signal) => {
    if (claim.request.id === request.id) begun.resolve()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  })
  await begun.promise
  await worker.stop(0)
  const [row] = await sql`select attempt, worker_id from requests where id = ${request.id}`
  assert.deepEqual({ ...row }, { attempt: 0, worker_id: null })
})

test('a draining worker waits until a request that only a newer version supports is in the queue again', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  const [begun, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const worker = await start(async ({ lease }) => {
    if (lease.id !== request.id) return
    begun.resolve()
    await locked.promise
    throw new UnsupportedWork('images/upscale')
  })
  await begun.promise
  let isDrained = false
  const { draining } = await sql.begin(async (tx) => {
    await tx`select from requests where id = ${request.id} for update`
    locked.resolve()
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    const drained = worker.drain().then(() => (isDrained = true))
    await tx`select 1`
    assert.equal(isDrained, false)
    return { draining: { drained } }
  })
  await draining.drained
  const [row] = await sql`select attempt, worker_id from requests where id = ${request.id}`
  assert.deepEqual({ ...row }, { attempt: 0, worker_id: null })
  await worker.stop(0)
  await abort(sql, account.id, request.id)
})

test('a stopping worker finishes the requests that can end within its grace period', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let wasStopped = false
  const worker = await start(async (claim, signal) => {
    if (claim.request.id === request.id) begun.resolve()
    await released.promise
    wasStopped = signal.aborted
    if (!wasStopped) await settle(sql, claim.lease, succeeded(), RETENTION_MS)
  })
  await begun.promise
  const stopped = worker.stop(600_000)
  // When this query returns, `stop` has stopped claiming, but still waits for the running request.
  await sql`select 1`
  released.resolve()
  await stopped
  assert.deepEqual([wasStopped, (await find(sql, account.id, request.id)).status], [false, 'succeeded'])
})

test('a worker that starts while the database is unavailable waits for it [operator.start.3]', async () => {
  const way = await openCuttableDatabase(database.url)
  const away = connect(way.url, { connections: 2, applicationName: 'test' })
  await way.cut()
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  const worked = Promise.withResolvers<void>()
  const starting = startRequestLoop({
    sql: away,
    notices: away,
    lanes: [{ lane: 'image', slots: 100, hasDiskSpace: () => true }],
    retentionMs: RETENTION_MS,
    work: async (claim) => (claim.request.id === request.id ? worked.resolve() : undefined),
    log: createLog('silent', 'test'),
  })
  await way.mend()
  const worker = await starting
  await worked.promise
  await worker.stop(1_000)
  await away.end({ timeout: 1 })
  await way[Symbol.asyncDispose]()
})

const inDocuments = { endpoint: endpointNamed('documents/process'), source: 'https://example.com/a.pdf' }

test('a worker ignores notifications for lanes that it does not serve', { timeout: 60_000 }, async () => {
  const account = await openAccount(sql)
  let worked = () => {}
  const worker = await start(
    async ({ lease }) => {
      await settle(sql, lease, succeeded(), RETENTION_MS)
      worked()
    },
    { lanes: ['document'] },
  )
  // Only an idle worker could act on the wrong notification. A worker is idle at the start of each round.
  for (let round = 0; round < 5; round += 1) {
    await sendNotifications(sql, ['queue:image'])
    const { promise, resolve } = Promise.withResolvers<void>()
    worked = resolve
    await accept(sql, acceptable(account.id, inDocuments))
    await sendNotifications(sql, ['queue:document'])
    await promise
  }
  await worker.stop(1_000)
})

test('a lane with many requests does not delay other lanes', async () => {
  const account = await openAccount(sql)
  for (let index = 0; index < 8; index += 1) await accept(sql, acceptable(account.id))
  const late = await accept(sql, acceptable(account.id, inDocuments))
  const begun: RequestId[] = []
  const met = Promise.withResolvers<void>()
  const worker = await start(
    async ({ request, lease }) => {
      begun.push(request.id)
      await settle(sql, lease, succeeded(), RETENTION_MS)
      if (request.id === late.id) met.resolve()
    },
    { slots: 100, lanes: ['image', 'document'] },
  )
  await met.promise
  await worker.stop(1_000)
  assert.equal(begun.indexOf(late.id), 1)
})

test('a request whose claim response was lost is claimed again', { timeout: 60_000 }, async () => {
  const account = await openAccount(sql)
  const before = await sql`select id from workers`
  let hasDiskSpace = false
  const worked = Promise.withResolvers<number>()
  const worker = await start(
    async ({ request, lease }) => {
      await settle(sql, lease, succeeded(), RETENTION_MS)
      if (request.id === id) worked.resolve(lease.attempt)
    },
    { lanes: ['document'], hasDiskSpace: () => hasDiskSpace },
  )
  const { id } = await accept(sql, acceptable(account.id, inDocuments))
  // Simulates a claim that was committed, but whose connection broke before the response.
  await sql`
    update requests set status = 'processing', attempt = 1, started_at = now(),
      worker_id = (select id from workers where id <> all(${before.map((row) => String(row['id']))}::text[]::uuid[]))
    where id = ${id}`
  hasDiskSpace = true
  assert.equal(await worked.promise, 2)
  await worker.stop(1_000)
})

test('a notification of an abort reaches the worker before its next heartbeat [requests.abort.2]', {
  timeout: 60_000,
}, async () => {
  await using way = await openCuttableDatabase(database.url)
  const away = connect(way.url, { connections: 2, applicationName: 'test' })
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id, inDocuments))
  const begun = Promise.withResolvers<void>()
  const received = Promise.withResolvers<void>()
  const worker = await startRequestLoop({
    sql: away,
    notices: sql,
    lanes: [{ lane: 'document', slots: 1, hasDiskSpace: () => true }],
    retentionMs: RETENTION_MS,
    async work(claim, signal) {
      if (claim.request.id !== id) return
      signal.addEventListener('abort', () => received.resolve(), { once: true })
      begun.resolve()
      await received.promise
      signal.throwIfAborted()
    },
    log: createLog('silent', 'test'),
    restMs: 1,
  })
  await begun.promise
  // Without a database connection, the worker cannot notice the abort when it renews its lease.
  await way.cut()
  await abort(sql, account.id, id)
  await received.promise
  await way.mend()
  await worker.stop(1_000)
  await away.end({ timeout: 1 })
})

test('an idle worker finds waiting requests without a notification, and takes over requests of a lost worker [requests.states.4]', async () => {
  const account = await openAccount(sql)
  const [waiting, lost] = [await accept(sql, acceptable(account.id)), await accept(sql, acceptable(account.id))]
  const gone = '00000000-0000-4000-8000-000000000001'
  await sql`insert into workers (id, host, seen_at) values (${gone}, 'gone', now() - interval '9 seconds')`
  await sql`update requests set status = 'processing', worker_id = ${gone}, attempt = 1, started_at = now() where id = ${lost.id}`
  const left = new Set<RequestId>([waiting.id, lost.id])
  const done = Promise.withResolvers<void>()
  let isOpen = false
  const worker = await start(
    async ({ request, lease }) => {
      await settle(sql, lease, succeeded(), RETENTION_MS)
      left.delete(request.id)
      if (left.size === 0) done.resolve()
    },
    { hasDiskSpace: () => isOpen },
  )
  // The worker's first claim has found no disk space, and no notification follows.
  isOpen = true
  await done.promise
  await worker.stop(1_000)
})
