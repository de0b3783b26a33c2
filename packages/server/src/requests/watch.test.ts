import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import type { Sql } from '../db/connection/connect.ts'
import { subscribe } from '../queue/notifications.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import { claim, updateProgress } from './claim.ts'
import { settle } from './settle.ts'
import type { RequestWatch } from './watch.ts'
import { createRequestWatch, createStreamWatch } from './watch.ts'

const { sql } = await sharedDatabase()

const forever = new AbortController().signal

async function open() {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id))
  return { id, accountId: account.id as AccountId }
}

async function finish(id: RequestId): Promise<void> {
  for (;;) {
    const taken = await claim(sql, await aliveWorker(sql), 'image', [])
    assert.ok(taken)
    if (taken.request.id !== id) continue
    assert.ok(await settle(sql, taken.lease, succeeded(), RETENTION_MS))
    return
  }
}

test('each completion sends database notifications for its request and its account, and the notifications contain only ids', async () => {
  const payloads: string[] = []
  const { unlisten } = await sql.listen('mediamill', (payload) => payloads.push(payload))
  const received = Promise.withResolvers<void>()
  const [settled, aborted] = [await open(), await open()]
  const listening = await subscribe(sql, { request: (ids) => ids.includes(String(aborted.id)) && received.resolve() })
  await finish(settled.id)
  await abort(sql, aborted.accountId, aborted.id)
  await received.promise
  const changes = new Set(payloads.join(' ').split(' '))
  for (const { id, accountId } of [settled, aborted]) {
    assert.ok(changes.has(`request:${id}`))
    assert.ok(changes.has(`account:${accountId}`))
  }
  for (const change of changes) assert.match(change, /^[a-z-]+:[a-z0-9_-]+$/)
  await listening.stop()
  await unlisten()
})

test('all waits for a request end when the request completes, with or without database notifications [waiting.prefer.1]', async () => {
  for (const isNotified of [false, true]) {
    // Without notifications, only polls can find the completion. With notifications, the watch never polls.
    using watch = isNotified ? createRequestWatch(sql, { schedule: () => () => undefined }) : createRequestWatch(sql)
    const listening =
      isNotified && (await subscribe(sql, { request: (ids) => watch.notify(ids.map((id) => Number(id) as RequestId)) }))
    const { id } = await open()
    const waits = [watch.wait(id, undefined, forever), watch.wait(id, undefined, forever)]
    await finish(id)
    for (const row of await Promise.all(waits)) assert.deepEqual([row?.id, row?.status], [id, 'succeeded'])
    assert.equal(watch.size, 0)
    if (listening !== false) await listening.stop()
  }
})

test('a wait for a request that has already completed returns at once [waiting.prefer.1]', async () => {
  using watch = createRequestWatch(sql, { schedule: () => () => undefined })
  const { id, accountId } = await open()
  await abort(sql, accountId, id)
  assert.equal((await watch.wait(id, undefined, forever))?.status, 'aborted')
})

test('without database notifications, a process polls the database more often for an event stream than for a long poll [streams.events.1]', async (t) => {
  const reads: PromiseLike<unknown>[] = []
  const recording: Sql = new Proxy(sql, {
    apply(target, self, args) {
      const statement = Reflect.apply(target, self, args) as PromiseLike<unknown>
      if (String((args[0] as string[]).join('')).includes('completed_at is not null')) reads.push(statement)
      return statement
    },
  })
  const pollsWithin100Ms = async (create: (sql: Sql) => RequestWatch) => {
    using watch = create(recording)
    const { id } = await open()
    const timers = t.mock.method(globalThis, 'setTimeout')
    const waiting = watch.wait(id, { status: 'queued', progress: 0 }, forever)
    // The wait starts with a read, which finds no progress. Only a later poll can find the progress.
    await Promise.all(reads)
    await sql`update requests set progress = 7 where id = ${id}`
    await waiting
    timers.mock.restore()
    return timers.mock.calls.some(({ arguments: [, ms] }) => Number(ms) <= 100)
  }
  assert.equal(await pollsWithin100Ms(createStreamWatch), true)
  assert.equal(await pollsWithin100Ms(createRequestWatch), false)
})

test('an event stream gets a new state for each new status, for new progress, and when the request completes [streams.events.1]', async () => {
  using watch = createRequestWatch(sql)
  const { id } = await open()
  const taking = watch.wait(id, { status: 'queued', progress: 0 }, forever)
  const worker = await aliveWorker(sql)
  let taken = await claim(sql, worker, 'image', [])
  while (taken !== undefined && taken.request.id !== id) taken = await claim(sql, worker, 'image', [])
  assert.ok(taken)
  assert.equal((await taking)?.status, 'processing')
  const seen = { status: 'processing', progress: 0 } as const
  const [growing, ending] = [watch.wait(id, seen, forever), watch.wait(id, undefined, forever)]
  await updateProgress(sql, taken.lease, 40)
  const grown = await growing
  assert.deepEqual([grown?.status, grown?.progress], ['processing', 40])
  const last = watch.wait(id, { ...seen, progress: 40 }, forever)
  assert.equal(watch.size, 2)
  assert.ok(await settle(sql, taken.lease, succeeded(), RETENTION_MS))
  assert.deepEqual([(await last)?.status, (await ending)?.status], ['succeeded', 'succeeded'])
})

test('a process reads the rows for all its waits for requests in one statement', async () => {
  let reads = 0
  const counting: Sql = new Proxy(sql, {
    apply(target, self, args) {
      if (String((args[0] as string[]).join('')).includes('completed_at is not null')) reads += 1
      return Reflect.apply(target, self, args) as unknown
    },
  })
  using watch = createRequestWatch(counting)
  const { id } = await open()
  const waits = Array.from({ length: 2_000 }, () => watch.wait(id, undefined, forever))
  await finish(id)
  await Promise.all(waits)
  assert.ok(reads >= 1 && reads <= 40, `${reads} statements`)
})
