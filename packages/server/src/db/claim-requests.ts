import type { Tier } from '@mediamill/contract/domain/limits'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import type { Fragment } from './connection/statement.ts'
import { advanceClock, clockOf, floorOf } from './fair-order.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

/** A claimed request with the data of its account that the worker needs. */
export type ClaimedRow = RequestRow & {
  trace: Record<string, string> | null
  tier: Tier
  maxSourceBytes: number | null
  hold: number
  unitPrice: number | null
  destination: Buffer | null
  /** Whether another request of the lane is waiting. */
  isMoreWaiting: boolean
}

/** How long a worker may be silent. Then its requests are taken over: within 15 s of its death (requests.states.4). */
export const SILENCE = '8 seconds'

/** The next request of a lane, of one of these endpoints. `except…` are skipped. */
export type WantedRequest = {
  lane: Lane
  endpoints: string[]
  exceptAccounts: number[]
  exceptRequests: number[]
}

/** How often a claim goes on to the next job after one whose request another transaction had locked. */
const MAX_TRIES = 5

/**
 * Claims the next request of a lane for a worker. Returns `undefined` if no such request is waiting.
 *
 * `skip locked` gives parallel workers different rows. The claim increments `attempt`, so that a request that kills its
 * worker is counted.
 *
 * The commit does not wait for the disk. If a crash of the database loses the claim, any worker claims the request again,
 * and the lost attempt cannot settle it (docs/notes/durability.md).
 */
export async function claimRequest(
  sql: Runner,
  workerId: string,
  wanted: WantedRequest,
): Promise<ClaimedRow | undefined> {
  const locked: number[] = []
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const exceptRequests = [...wanted.exceptRequests, ...locked]
    const row = await tryClaim(sql, workerId, { ...wanted, exceptRequests })
    if (row === undefined || row.id !== null) return row
    locked.push(row.jobOf)
  }
  return undefined
}

/** A claim, or the request of the job whose row another transaction had locked. */
type Tried = (ClaimedRow | { id: null }) & { jobOf: number }

/**
 * Every other statement locks a request before its job. This one locks the job first, so that a sort locks nothing, and
 * then the request without waiting for it, so that nothing deadlocks. Until the next release, workers of versions without
 * jobs claim the request's row: its `worker_id` decides who has it.
 */
async function tryClaim(
  sql: Runner,
  workerId: string,
  { lane, endpoints, exceptAccounts, exceptRequests }: WantedRequest,
): Promise<Tried | undefined> {
  const named = sql`${lane}::text`
  // A subquery for its value, which no plan turns into a walk through all requests.
  const canClaim = sql`(
    select r.worker_id is null and r.completed_at is null and r.endpoint = any(${endpoints}::text[])
    from requests r where r.id = j.record_id
  ) and j.record_id <> all(${exceptRequests}::bigint[])`
  // wall: one account that holds a whole worker
  const isForOthers = exceptAccounts.length > 0
  const [row] = await sql<Tried[]>`
    with ${isForOthers ? sql`recursive ${firstOfOthers(sql, named, exceptAccounts, canClaim)},` : sql``} due as (
      ${
        isForOthers
          ? sql`
            select free.* from (select record_id from first_of_others order by tag, record_id) first cross join lateral (
              select j.record_id, j.tag from jobs j
              where j.kind = 'request' and j.record_id = first.record_id and j.worker_id is null
              limit 1 for no key update skip locked
            ) free limit 1`
          : sql`
            select j.record_id, j.tag from jobs j
            where j.lane = ${named} and j.worker_id is null and j.tag >= ${floorOf(sql, named)} and ${canClaim}
            order by j.tag, j.record_id limit 1 for no key update skip locked`
      }
    ), free as (
      select r.id from due cross join lateral (
        select id from requests where id = due.record_id and worker_id is null and completed_at is null
        limit 1 for no key update skip locked
      ) r
    ), r as (
      update requests r set
        status = 'processing', worker_id = ${workerId}, attempt = attempt + 1,
        -- A claim may have begun before the request that it finds was written.
        started_at = coalesce(started_at, greatest(now(), r.created_at))
      from free where r.id = free.id
      returning r.*
    ), job as (
      update jobs j set worker_id = ${workerId}, attempt = r.attempt
      -- A value, not a join: where jobs were few when it was planned, a join would read all that have ended.
      from r where j.kind = 'request' and j.record_id = (select id from r)
      returning ${advanceClock(sql, named, sql`j.tag`)} as clock
    )
    select due.record_id as "jobOf", ${requestColumns(sql)}, r.trace, account.tier, account.max_source_bytes as "maxSourceBytes",
      r.hold, r.unit_price as "unitPrice", r.destination, ${isWaiting(sql, named, 2)} as "isMoreWaiting"
    from due left join r on r.id = due.record_id left join accounts account on account.id = r.account_id
      cross join ${WITHOUT_DISK(sql)}`
  return row
}

/**
 * The first request in the lane that each account but these has waiting, found by one step through an index for each
 * account.
 *
 * In the order of tags, a claim for others would step over everything that one busy account has waiting.
 */
const firstOfOthers = (sql: Runner, lane: Fragment, exceptAccounts: number[], canClaim: Fragment) => sql`
  account (id) as (
    (select j.account_id from jobs j where j.lane = ${lane} and j.worker_id is null order by j.account_id, j.tag limit 1)
    union all
    select next.account_id from account cross join lateral (
      select j.account_id from jobs j where j.lane = ${lane} and j.worker_id is null and j.account_id > account.id
      order by j.account_id, j.tag limit 1
    ) next
  ), first_of_others as (
    select first.tag, first.record_id from account cross join lateral (
      select j.tag, j.record_id from jobs j
      where j.lane = ${lane} and j.worker_id is null and j.account_id = account.id and ${canClaim}
      order by j.tag, j.record_id limit 1
    ) first
    where account.id <> all(${exceptAccounts}::bigint[])
  )`

/** Has the statement's own commit not wait for the disk, when it is joined to rows that are there. */
const WITHOUT_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'off', true) as unwaited`

/** Reports whether a request waits in one of these lanes. Reads one row a lane. */
export async function isWorkWaiting(sql: Runner, lanes: readonly Lane[]): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`select ${isAnyWaiting(sql, lanes)} as waiting`
  return row?.waiting === true
}

const isAnyWaiting = (sql: Runner, lanes: readonly Lane[]) => sql`
  exists (select from unnest(${lanes as Lane[]}::text[]) as wanted (lane) where ${isWaiting(sql, sql`wanted.lane`, 1)})`

/** Whether so many jobs of a lane were waiting when the statement began. */
const isWaiting = (sql: Runner, lane: Fragment, count: number) => sql`
  ${count}::integer = (
    select count(*) from (
      select from jobs j where j.lane = ${lane} and j.worker_id is null and j.tag >= ${floorOf(sql, lane)}
      order by j.tag, j.record_id limit ${sql.unsafe(String(count))}
    ) front
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
  /** The version of the program that it runs. */
  version?: string | undefined
}

/** Notes that a worker is alive. Returns those of its requests that it still holds. */
export async function beat(sql: Runner, worker: LivingWorker, held: number[]): Promise<number[]> {
  const [row] = await sql<{ held: number[] | null }[]>`
    with alive as (
      insert into workers (id, host, isolation, video_places, version)
      values (${worker.id}, ${worker.host}, ${worker.isolation ?? null}, ${worker.videoPlaces ?? null}, ${worker.version ?? null})
      on conflict (id) do update set seen_at = clock_timestamp()
    )
    select array_agg(record_id) as held from jobs
    where kind = 'request' and record_id = any(${held}::bigint[]) and worker_id = ${worker.id}`
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
    select ${isAnyWaiting(sql, lanes)} as "isWaiting",
      exists (select from jobs j where ${isLost(sql)}) as "isLost",
      exists (
        select from jobs where kind = 'request' and worker_id = ${workerId} and record_id <> all(${known}::bigint[])
      ) as "isUnknown"`
  return row ?? { isWaiting: false, isLost: false, isUnknown: false }
}

const isLost = (sql: Runner) => sql`
  j.kind = 'request' and j.worker_id is not null
    and not exists (select from workers w where w.id = j.worker_id and w.seen_at > now() - ${SILENCE}::interval)`

/** Requeues the requests of workers that went silent. Returns their ids. */
export async function requeueLost(sql: Runner, maxAttempts: number): Promise<number[]> {
  return await requeueWhere(sql, sql`${isLost(sql)} and j.attempt < ${maxAttempts}`, sql`r.attempt`)
}

/** Lists requests whose last attempt was lost with its worker: they must fail. */
export async function listExhaustedRequests(
  sql: Runner,
  maxAttempts: number,
): Promise<{ id: number; workerId: string; attempt: number }[]> {
  return await sql<{ id: number; workerId: string; attempt: number }[]>`
    select j.record_id as id, j.worker_id as "workerId", j.attempt from jobs j
    where ${isLost(sql)} and j.attempt >= ${maxAttempts}
    limit 100`
}

/** Requeues a request whose attempt broke while its worker lives on. */
export async function requeue(sql: Runner, held: HeldRow): Promise<void> {
  await requeueWhere(sql, isHeld(sql, held), sql`r.attempt`)
}

/** Requeues a request that a worker found it cannot do; the attempt does not count. */
export async function requeueUncounted(sql: Runner, held: HeldRow): Promise<void> {
  await requeueWhere(sql, isHeld(sql, held), UNCOUNTED(sql))
}

/**
 * Requeues what a worker holds besides the requests that it knows of. Returns their ids.
 *
 * A connection that breaks between the commit of a claim and its response leaves such a request, and as long as the worker
 * lives no other worker takes it over. Do not call it while a claim is under way.
 */
export async function requeueUnknown(sql: Runner, workerId: string, known: number[]): Promise<number[]> {
  const unknown = sql`j.kind = 'request' and j.worker_id = ${workerId} and j.record_id <> all(${known}::bigint[])`
  return await requeueWhere(sql, unknown, sql`r.attempt`)
}

/** Requeues all that a stopping worker could not finish; the attempts do not count. */
export async function requeueAll(sql: Runner, workerId: string): Promise<number> {
  const requeued = await requeueWhere(sql, sql`j.kind = 'request' and j.worker_id = ${workerId}`, UNCOUNTED(sql))
  await sql`delete from workers where id = ${workerId}`
  return requeued.length
}

type HeldRow = { id: number; workerId: string; attempt: number }

const isHeld = (sql: Runner, { id, workerId, attempt }: HeldRow) => sql`
  j.kind = 'request' and j.record_id = ${id} and j.worker_id = ${workerId} and j.attempt = ${attempt}`

const UNCOUNTED = (sql: Runner) => sql`r.attempt - 1`

/**
 * Requeues the requests of these jobs `j`, with the attempt number given. Returns their ids.
 *
 * A job keeps its tag, unless the virtual time of its lane is later: claims may begin above it.
 */
async function requeueWhere(sql: Runner, where: Fragment, attempt: Fragment): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with held as (
      select j.record_id, j.worker_id, j.attempt from jobs j where ${where}
    ), r as (
      update requests r set worker_id = null, attempt = ${attempt}
      from held
      where r.id = held.record_id and r.worker_id = held.worker_id and r.attempt = held.attempt and r.completed_at is null
      returning r.id, r.attempt
    )
    update jobs j set worker_id = null, attempt = r.attempt, tag = greatest(j.tag, ${clockOf(sql, sql`j.lane`)})
    from r where j.kind = 'request' and j.record_id = r.id
    returning r.id`
  return rows.map(({ id }) => id)
}

/** The outcome of raising a hold. `left` is the credit that no other open request held when it was asked for. */
export type RaisedHold = { isRaised: boolean; left: number }

/**
 * Raises the hold of a live request to `hold`. What its account has held rises with it; a hold never falls.
 *
 * Only while the other open requests hold no more than the balance (billing.holds.2): the first request that proves dearer
 * than what is left is let through, and every later one is refused until that has ended and been paid. No row: there was
 * nothing to raise, or the attempt does not hold the request any more.
 */
export async function updateHold(sql: Runner, held: HeldRow, hold: number): Promise<RaisedHold | undefined> {
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

/** Notes how far a request has come, 0 to 99; it only grows (requests.object.4). */
export async function updateProgress(sql: Runner, held: HeldRow, percent: number): Promise<void> {
  const whole = Math.min(Math.floor(percent), 99)
  await sql`
    update requests set progress = ${whole}
    where id = ${held.id} and worker_id = ${held.workerId} and attempt = ${held.attempt} and progress < ${whole}`
}

/** Forgets workers that have been silent for long and hold nothing. */
export async function deleteLostWorkers(sql: Runner): Promise<void> {
  await sql`
    delete from workers w where seen_at < now() - interval '1 hour'
      and not exists (select from jobs j where j.worker_id = w.id)`
}
