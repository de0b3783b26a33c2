import type { Tier } from '@mediamill/contract/domain/limits'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

/** A claimed request with what its worker must know. That is about the account, and how many were waiting. */
export type ClaimedRow = RequestRow & {
  trace: Record<string, string> | null
  tier: Tier
  maxSourceBytes: number | null
  hold: number
  unitPrice: number | null
  destination: Buffer | null
  waiting: number
}

/** How long a worker may be silent. Then its requests are taken over: within 15 s of its death (rulings 7). */
export const SILENCE = '8 seconds'

/**
 * The wish of a worker for requests, `most` at the most. Requests of other endpoints, and those in `exceptRequests`, are left
 * to other versions. Of those that wait it counts no more than `countTo`.
 */
export type Wanted = {
  lane: Lane
  most: number
  endpoints: string[]
  exceptAccounts: number[]
  exceptRequests: number[]
  countTo: number
}

/**
 * Takes the next requests of a lane for a worker, or none. The account that has waited longest comes first.
 *
 * `skip locked` hands parallel workers different rows; `attempt` counts at the take, so that a request which kills its
 * worker is counted too. `exceptAccounts` hold as much of this worker as one account may; one account may hold `most` more.
 * `waiting` counts those that waited before the claim, whosever they are.
 *
 * It does not wait for the disk: a claim that a crash of the database forgets is taken again by whoever comes first, and
 * the attempt it began settles nothing (decision 71).
 */
export async function claimRequests(sql: Runner, workerId: string, wanted: Wanted): Promise<ClaimedRow[]> {
  const { lane, most, endpoints, exceptAccounts, exceptRequests, countTo } = wanted
  // wall: one account that holds a whole worker
  const isForOthers = exceptAccounts.length > 0
  return await sql<ClaimedRow[]>`
    with ${isForOthers ? sql`recursive ${othersThanThese(sql, lane, exceptAccounts)},` : sql``} due as (
      select id from requests
      where ${isForOthers ? ofOthers(sql, exceptAccounts) : sql``} lane = ${lane} and worker_id is null and completed_at is null
        and endpoint = any(${endpoints}::text[]) and id <> all(${exceptRequests}::bigint[])
      order by turn, id
      for update skip locked
      ${literalLimit(sql, most)}
    ), r as (
      update requests r set
        status = 'processing', worker_id = ${workerId}, attempt = attempt + 1,
        -- A claim may have begun before the request that it finds was written.
        started_at = coalesce(started_at, greatest(now(), r.created_at))
      from due where r.id = due.id
      returning r.*
    )
    select ${requestColumns(sql)}, r.trace, a.tier, a.max_source_bytes as "maxSourceBytes", r.hold, r.unit_price as "unitPrice",
      r.destination, (
        select count(*)::integer from (
          select from requests where lane = ${lane} and worker_id is null and completed_at is null
          order by turn, id ${literalLimit(sql, countTo)}
        ) front
      ) as waiting
    from r join accounts a on a.id = r.account_id cross join ${WITHOUT_DISK(sql)}
    order by r.turn, r.id`
}

/** Written into the statement: of any number of rows the plan would be to read and sort the whole queue. */
const literalLimit = (sql: Runner, count: number) => sql.unsafe(`limit ${Math.trunc(count)}`)

/**
 * Keeps a claim to others than these accounts.
 *
 * In a `case`, which the planner knows nothing about: where nearly all there is belongs to one account, it takes any
 * other's for so rare that it would read and sort the whole queue for them.
 */
const ofOthers = (sql: Runner, exceptAccounts: number[]) =>
  sql`exists (select from others) and case when account_id <> all(${exceptAccounts}::bigint[]) then true end and`

/**
 * The accounts but these that have something waiting in the lane, found one after the other by their index.
 *
 * Without this a claim for others would step over all that one busy account has waiting, and it often finds nothing.
 */
const othersThanThese = (sql: Runner, lane: Lane, exceptAccounts: number[]) => sql`
  opened (account_id) as (
    select (select min(account_id) from requests where status in ('queued', 'processing'))
    union all
    select (
      select min(r.account_id) from requests r
      where r.status in ('queued', 'processing') and r.account_id > opened.account_id
    )
    from opened where opened.account_id is not null
  ), others as (
    select from opened
    where opened.account_id <> all(${exceptAccounts}::bigint[]) and exists (
      -- Not \`is null\`: the queue's own index would be read in its order, through all that others have waiting.
      select from requests r
      where r.account_id = opened.account_id and r.status in ('queued', 'processing') and r.lane = ${lane}
        and r.worker_id is not distinct from null
    )
  )`

/** Has the statement's own commit not wait for the disk, when it is joined to rows that are there. */
const WITHOUT_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'off', true) as unwaited`

/** Tells whether a request waits in one of these lanes. A poll asks this before it claims. It reads one row a lane. */
export async function isWorkWaiting(sql: Runner, lanes: readonly Lane[]): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`select ${waitingIn(sql, lanes)} as waiting`
  return row?.waiting === true
}

const waitingIn = (sql: Runner, lanes: readonly Lane[]) => sql`
  exists (
    select from unnest(${lanes as Lane[]}::text[]) as wanted(lane)
      cross join lateral (
        select from requests r where r.lane = wanted.lane and r.worker_id is null and r.completed_at is null
        order by r.turn, r.id limit 1
      ) first
  )`

/**
 * A worker that says that it lives; `isolation` is the wall around its engines. `videoPlaces` are the videos that it makes
 * at once, where it takes parts of long ones.
 */
export type LivingWorker = {
  id: string
  host: string
  isolation?: string | undefined
  videoPlaces?: number | undefined
}

/** Notes that a worker is alive. Returns those of its requests that it still holds. */
export async function beat(sql: Runner, worker: LivingWorker, held: number[]): Promise<number[]> {
  const [row] = await sql<{ held: number[] | null }[]>`
    with alive as (
      insert into workers (id, host, isolation, video_places)
      values (${worker.id}, ${worker.host}, ${worker.isolation ?? null}, ${worker.videoPlaces ?? null})
      on conflict (id) do update set seen_at = clock_timestamp()
    )
    select array_agg(id) as held from requests where id = any(${held}::bigint[]) and worker_id = ${worker.id}`
  return row?.held ?? []
}

/** What a worker finds when it looks around. */
export type Around = {
  /** Whether a request waits in one of its lanes. */
  isWaiting: boolean
  /** Whether a request is held by a worker that went silent. */
  isLost: boolean
  /** Whether it holds a request itself that it does not know of. */
  isUnknown: boolean
}

/** Tells in one statement whether anything waits to be claimed, taken over or requeued. */
export async function lookAround(
  sql: Runner,
  workerId: string,
  known: number[],
  lanes: readonly Lane[],
): Promise<Around> {
  const [row] = await sql<Around[]>`
    select ${waitingIn(sql, lanes)} as "isWaiting",
      exists (
        select from requests r
        where r.worker_id is not null and r.completed_at is null
          and not exists (select from workers w where w.id = r.worker_id and w.seen_at > now() - ${SILENCE}::interval)
      ) as "isLost",
      exists (
        select from requests where worker_id = ${workerId} and completed_at is null and id <> all(${known}::bigint[])
      ) as "isUnknown"`
  return row ?? { isWaiting: false, isLost: false, isUnknown: false }
}

/** Requeues the requests of workers that went silent. Returns their ids. */
export async function requeueLost(sql: Runner, maxAttempts: number): Promise<number[]> {
  const released = await sql<{ id: number }[]>`
    update requests r set worker_id = null
    where r.worker_id is not null and r.completed_at is null and r.attempt < ${maxAttempts}
      and not exists (select from workers w where w.id = r.worker_id and w.seen_at > now() - ${SILENCE}::interval)
    returning r.id`
  return released.map(({ id }) => id)
}

/** Lists requests whose last attempt was lost with its worker: they must fail. */
export async function listExhaustedRequests(
  sql: Runner,
  maxAttempts: number,
): Promise<{ id: number; workerId: string; attempt: number }[]> {
  return await sql<{ id: number; workerId: string; attempt: number }[]>`
    select r.id, r.worker_id as "workerId", r.attempt from requests r
    where r.worker_id is not null and r.completed_at is null and r.attempt >= ${maxAttempts}
      and not exists (select from workers w where w.id = r.worker_id and w.seen_at > now() - ${SILENCE}::interval)
    limit 100`
}

/** Requeues a request whose attempt broke while its worker lives on. */
export async function requeue(sql: Runner, held: { id: number; workerId: string; attempt: number }): Promise<void> {
  await sql`
    update requests set worker_id = null
    where id = ${held.id} and worker_id = ${held.workerId} and attempt = ${held.attempt} and completed_at is null`
}

/** Requeues a request that a worker found it cannot do; the attempt does not count. */
export async function requeueUncounted(
  sql: Runner,
  held: { id: number; workerId: string; attempt: number },
): Promise<void> {
  await sql`
    update requests set worker_id = null, attempt = attempt - 1
    where id = ${held.id} and worker_id = ${held.workerId} and attempt = ${held.attempt} and completed_at is null`
}

/**
 * Requeues what a worker holds besides the requests that it knows of. Returns their ids.
 *
 * A connection that breaks between the commit of a claim and its answer leaves such a request, and as long as the worker
 * lives nobody else takes it over. Not to be called while a claim is under way.
 */
export async function requeueUnknown(sql: Runner, workerId: string, known: number[]): Promise<number[]> {
  const released = await sql<{ id: number }[]>`
    update requests set worker_id = null
    where worker_id = ${workerId} and completed_at is null and id <> all(${known}::bigint[])
    returning id`
  return released.map(({ id }) => id)
}

/** Requeues all that a stopping worker could not finish; the attempts do not count. */
export async function requeueAll(sql: Runner, workerId: string): Promise<number> {
  const handed = await sql`
    with gone as (delete from workers where id = ${workerId})
    update requests set worker_id = null, attempt = attempt - 1 where worker_id = ${workerId} and completed_at is null`
  return handed.count
}

/** The outcome of raising a hold. `left` is the credit that no other open request held when it was asked for. */
export type RaisedHold = { isRaised: boolean; left: number }

/**
 * Raises the hold of a live request to `hold`. What its account has held rises with it; a hold never falls.
 *
 * Only while the other open requests hold no more than the balance (rulings 19): the first request that proves dearer
 * than what is left is let through, and every later one is refused until that has ended and been paid. No row: there was
 * nothing to raise, or the attempt does not hold the request any more.
 */
export async function updateHold(
  sql: Runner,
  held: { id: number; workerId: string; attempt: number },
  hold: number,
): Promise<RaisedHold | undefined> {
  const [row] = await sql<RaisedHold[]>`
    with before as materialized (
      select id, account_id, hold from requests
      where id = ${held.id} and worker_id = ${held.workerId} and attempt = ${held.attempt}
        and livemode and completed_at is null and hold < ${hold}
      for update
    ), account as (
      update accounts a set held = a.held + ${hold}::bigint - before.hold
      from before where a.id = before.account_id and a.balance - (a.held - before.hold) >= 0
      returning a.id
    ), raised as (
      update requests r set hold = ${hold} from before, account where r.id = before.id
    )
    select exists (select from account) as "isRaised", a.balance - a.held + before.hold as left
    from before join accounts a on a.id = before.account_id`
  return row
}

/** Notes how far a request has come, 0 to 99; it only grows (Spec 2.1). */
export async function updateProgress(
  sql: Runner,
  held: { id: number; workerId: string; attempt: number },
  percent: number,
): Promise<void> {
  const whole = Math.min(Math.floor(percent), 99)
  await sql`
    update requests set progress = ${whole}
    where id = ${held.id} and worker_id = ${held.workerId} and attempt = ${held.attempt} and progress < ${whole}`
}

/** Forgets workers that have been silent for long and hold nothing. */
export async function deleteLostWorkers(sql: Runner): Promise<void> {
  await sql`
    delete from workers w where seen_at < now() - interval '1 hour'
      and not exists (select from requests r where r.worker_id = w.id)`
}
