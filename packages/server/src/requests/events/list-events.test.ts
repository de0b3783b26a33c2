import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import { createDatabase, sharedDatabase } from '@mediamill/lab/support/database'
import { eventOf, finishOne, pileUp } from '@mediamill/lab/support/deliveries'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { countRowsRead } from '@mediamill/lab/support/rows-read'
import type { Sql } from '../../db/connection/connect.ts'
import { connect } from '../../db/connection/connect.ts'
import { abort } from '../abort.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import { settle } from '../settle.ts'
import { createEventWatch } from '../watch.ts'
import { listEvents, maybeUnwritten, positionOf } from './list-events.ts'

const database = await sharedDatabase()
const { sql } = database

const forever = new AbortController().signal

async function walk(
  accountId: AccountId,
  from: string | undefined,
  limit: number,
  requestId?: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let last = from; ; last = ids.at(-1)) {
    const position = last === undefined ? undefined : await positionOf(sql, accountId, last)
    assert.ok(last === undefined || position !== undefined)
    const page = await listEvents(sql, accountId, {
      after: position,
      limit,
      requestId: requestId as RequestId | undefined,
    })
    assert.ok(page.events.length <= limit)
    ids.push(...page.events.map(({ eventId }) => eventId))
    if (!page.hasMore) return ids
  }
}

/** Removes the sequence numbers of events, because older versions did not store sequence numbers. */
const unnumber = async (ids: readonly string[]) =>
  await sql`update events set sequence = null where id = any(${ids}::text[])`

test('a long poll for events returns each event of parallel completions and aborts once, in commit order [events.list.1]', async () => {
  const account = await openAccount(sql, microUsd(1_000_000_000))
  const other = await openAccount(sql, microUsd(1_000_000_000))
  const [first, second, third] = [1, 2, 3].map(() =>
    connect(database.url, { connections: 6, applicationName: 'settler' }),
  )
  assert.ok(first && second && third)
  const COUNT = 240
  for (let n = 0; n < COUNT; n += 1) await accept(sql, acceptable(account.id))
  for (let n = 0; n < 40; n += 1) await accept(sql, acceptable(other.id))
  const worker = await aliveWorker(sql)
  let left = COUNT + 40
  const settleSome = async (on: Sql, every: number) => {
    for (;;) {
      const taken = await claim(on, worker, 'image', [])
      if (taken === undefined) return
      // Delay the commit: the event has its sequence number, but other transactions cannot see it for 10 ms.
      if (left % every === 0) {
        await on.begin(async (tx) => {
          await settle(tx as unknown as Sql, taken.lease, succeeded(), RETENTION_MS)
          await tx`select pg_sleep(0.01)`
        })
      } else if (left % 7 === 0) await abort(on, taken.request.accountId as AccountId, taken.request.id)
      else await settle(on, taken.lease, succeeded(), RETENTION_MS)
      left -= 1
    }
  }
  using watch = createEventWatch(sql)
  const read = async (accountId: AccountId, count: number) => {
    const ids: string[] = []
    let position: Awaited<ReturnType<typeof positionOf>>
    while (ids.length < count) {
      const page = await listEvents(sql, accountId, { after: position, limit: 3, requestId: undefined })
      ids.push(...page.events.map(({ eventId }) => eventId))
      const last = ids.at(-1)
      position = last === undefined ? undefined : await positionOf(sql, accountId, last)
      if (page.events.length === 0) assert.ok(await watch.wait(accountId, position?.sequence ?? 0, forever))
    }
    return ids
  }
  const settling = [first, second, third].flatMap((on) => [3, 4, 5, 6].map((every) => settleSome(on, every)))
  const [seen, seenToo] = await Promise.all([read(account.id, COUNT), read(other.id, 40), ...settling])
  for (const [id, ids, count] of [
    [account.id, seen, COUNT],
    [other.id, seenToo, 40],
  ] as const) {
    assert.equal(new Set(ids).size, count)
    const rows = await sql<{ id: string; sequence: number }[]>`
      select id, sequence from events where account_id = ${id} order by sequence`
    assert.deepEqual(
      rows.map((row) => row.sequence),
      Array.from({ length: count }, (_, index) => index + 1),
    )
    assert.deepEqual(
      ids,
      rows.map((row) => row.id),
    )
  }
  await Promise.all([first, second, third].map((on) => on.end()))
})

test('a rolled-back completion leaves no gap in the event numbers of an account, and an uncommitted completion delays the later events of the account [events.list.1]', async () => {
  const account = await openAccount(sql, microUsd(1_000_000_000))
  const ids = []
  for (let n = 0; n < 3; n += 1) ids.push((await accept(sql, acceptable(account.id))).id)
  const [lost, late, early] = ids
  assert.ok(lost && late && early)
  await sql
    .begin(async (tx) => {
      await abort(tx as unknown as Sql, account.id, lost)
      throw new Error('taken back')
    })
    .catch((error: Error) => assert.equal(error.message, 'taken back'))
  let second: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    await abort(tx as unknown as Sql, account.id, late)
    second = abort(sql, account.id, early)
    for (;;) {
      const [waiting] = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
      if (waiting !== undefined) break
    }
    assert.deepEqual(await walk(account.id, undefined, 5), [])
  })
  await second
  assert.deepEqual(await walk(account.id, undefined, 5), [await eventOf(sql, late), await eventOf(sql, early)])
  await abort(sql, account.id, lost)
  const rows = await sql<{ sequence: number }[]>`
    select sequence from events where account_id = ${account.id} order by sequence`
  assert.deepEqual(
    rows.map((row) => row.sequence),
    [1, 2, 3],
  )
})

test('the event list returns unnumbered events of older versions first, by time, and then the numbered events [events.list.1]', async () => {
  const account = await openAccount(sql, microUsd(1_000_000_000))
  const ids: string[] = []
  for (let n = 0; n < 7; n += 1) ids.push(await finishOne(sql, account.id, null))
  const old = ids.slice(0, 5)
  await unnumber(old)
  // These events have equal times. Thus, the ids of their requests decide the order.
  await sql`update events set created_at = '2026-11-20T00:00:00.000123Z' where id = any(${old.slice(1, 4)}::text[])`
  await sql`update events set created_at = '2026-11-20T00:00:00.000122Z' where id = ${old[0] ?? ''}`
  for (const limit of [1, 2, 3, 4, 5, 10]) assert.deepEqual(await walk(account.id, undefined, limit), ids)
  for (const [index, id] of ids.entries()) assert.deepEqual(await walk(account.id, id, 2), ids.slice(index + 1))
})

test('events that a process of the previous version writes get numbers too [events.list.1]', async () => {
  const account = await openAccount(sql, microUsd(1_000_000_000))
  const first = await finishOne(sql, account.id, null)
  const { id } = await accept(sql, acceptable(account.id))
  // An older version completes a request with this statement, shortened to its relevant part.
  await sql`
    with r as (
      update requests set status = 'aborted', completed_at = now() where id = ${id} returning *
    ), account as (
      update accounts a set held = a.held - r.hold from r where a.id = r.account_id returning a.webhook_url
    )
    insert into events (id, account_id, request_id, type, url, status, due_at)
    select 'evt_before', r.account_id, r.id, 'request.aborted', account.webhook_url, 'unaddressed', null from r, account`
  const last = await finishOne(sql, account.id, null)
  assert.deepEqual(await walk(account.id, undefined, 2), [first, 'evt_before', last])
  const [row] = await sql<{ count: number }[]>`select event_count as count from accounts where id = ${account.id}`
  assert.equal(row?.count, 3)
})

test('the event list of a request contains only the event of this request, with or without a cursor [events.list.4]', async () => {
  const [account, other] = [await openAccount(sql), await openAccount(sql)]
  const ids = [await finishOne(sql, account.id, null), await finishOne(sql, account.id, null)]
  const foreign = await finishOne(sql, other.id, null)
  const [first, second] = ids
  assert.ok(first && second)
  const [row] = await sql<{ requestId: number }[]>`select request_id as "requestId" from events where id = ${second}`
  assert.ok(row)
  assert.deepEqual(await walk(account.id, undefined, 5, row.requestId), [second])
  assert.deepEqual(await walk(account.id, first, 5, row.requestId), [second])
  assert.deepEqual(await walk(account.id, second, 5, row.requestId), [])
  assert.deepEqual(await walk(other.id, undefined, 5, row.requestId), [])
  assert.deepEqual(await walk(other.id, undefined, 5), [foreign])
  assert.equal(await positionOf(sql, other.id, first), undefined)
})

test('listing a page of events reads only the rows of the page, even with outdated statistics', async () => {
  await using full = await createDatabase()
  const [account, other] = [await openAccount(full.sql), await openAccount(full.sql)]
  const some = await finishOne(full.sql, account.id, null)
  for (const { id } of [account, other]) await pileUp(full.sql, id, 200, 'https://example.com/hook')
  await full.sql`analyze`
  await pileUp(full.sql, account.id, 4000, 'https://example.com/hook')
  await full.sql`update events set sequence = null where sequence <= 2000`
  await pileUp(full.sql, other.id, 2000, 'https://example.com/hook')
  const positions = await full.sql<{ id: string }[]>`
    select id from events where account_id = ${account.id} and sequence in (2001, 3000, 3990) order by sequence`
  const [old] = await full.sql<{ id: string }[]>`
    select id from events where account_id = ${account.id} and sequence is null order by created_at, request_id offset 1995 limit 1`
  for (const id of [undefined, some, old?.id, ...positions.map((row) => row.id)]) {
    const rows = await countRowsRead(full.sql, async (tx) => {
      const position = id === undefined ? undefined : await positionOf(tx as Sql, account.id, id)
      const { events } = await listEvents(tx as Sql, account.id, { after: position, limit: 10, requestId: undefined })
      assert.equal(events.length, 10)
    })
    assert.ok(rows <= 2 * 2 * 11 + 2, `behind ${id} ${rows} rows were read`)
  }
})

test('a long poll for events ends with the next event of its account, with its AbortSignal, or when the process stops watching events [events.list.5]', async () => {
  const [account, other] = [await openAccount(sql), await openAccount(sql)]
  await finishOne(sql, account.id, null)
  const watch = createEventWatch(sql)
  assert.equal((await watch.wait(account.id, 0, forever))?.count, 1)
  const hangUp = new AbortController()
  const waits = [watch.wait(account.id, 1, forever), watch.wait(account.id, 1, forever)]
  const [gone, never] = [watch.wait(account.id, 1, hangUp.signal), watch.wait(other.id, 0, forever)]
  assert.equal(watch.size, 4)
  hangUp.abort()
  assert.equal(await gone, undefined)
  await finishOne(sql, account.id, null)
  for (const event of await Promise.all(waits)) assert.equal(event?.count, 2)
  assert.equal(watch.size, 1)
  watch.close()
  assert.equal(await never, undefined)
  assert.equal(await watch.wait(account.id, 0, forever), undefined)
  assert.equal(watch.size, 0)
})

test('a process reads the events for all its long polls in one statement', async () => {
  const looks: number[] = []
  const counting = new Proxy(sql, {
    apply(target, self, args) {
      if (String((args as [TemplateStringsArray])[0].join('')).includes('event_count')) {
        looks.push((args as [unknown, unknown[]])[1].length)
      }
      return Reflect.apply(target, self, args) as unknown
    },
  })
  using watch = createEventWatch(counting)
  const accounts = []
  for (let n = 0; n < 5; n += 1) accounts.push(await openAccount(sql))
  const waits = accounts.flatMap(({ id }) => [watch.wait(id, 0, forever), watch.wait(id, 0, forever)])
  for (const { id } of accounts) await finishOne(sql, id, null)
  await Promise.all(waits)
  assert.ok(Math.max(...looks) >= 4, looks.join())
})

test('an abort counts as not yet durable only for the short time in which a database crash can undo it', async () => {
  const account = await openAccount(sql)
  await finishOne(sql, account.id, null)
  const { id } = await accept(sql, acceptable(account.id))
  await abort(sql, account.id, id)
  const page = await listEvents(sql, account.id, { after: undefined, limit: 10, requestId: undefined })
  assert.equal(page.events.length, 2)
  assert.deepEqual(
    maybeUnwritten(page, Date.now()).map((request) => request.id),
    [id],
  )
  assert.deepEqual(maybeUnwritten(page, Date.now() + 3_600_000), [])
})
