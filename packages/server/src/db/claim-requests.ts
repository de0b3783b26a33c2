import type { Tier } from '@mediamill/contract/domain/limits'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import type { Fragment } from './connection/statement.ts'
import { WITHOUT_DISK } from './connection/transaction.ts'
import { advanceClock, floorOf } from './fair-order.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'
import { isLost } from './requeue-requests.ts'

export type ClaimedRow = RequestRow & {
  trace: Record<string, string> | null
  callId: string | null
  tier: Tier
  maxSourceBytes: number | null
  hold: number
  unitPrice: number | null
  destination: Buffer | null
}

type ClaimFilter = {
  lane: Lane
  endpoints: string[]
  exceptAccounts: number[]
  exceptRequests: number[]
}

/** How many jobs a claim tries. It skips a job if another transaction has locked the request of the job. */
const MAX_TRIES = 5

/**
 * Assigns the next request of a lane to a worker. Counts the attempt now, because the request may crash its worker.
 * Claims can be lost (docs/notes/durability.md).
 */
export async function claimRequest(
  sql: Runner,
  workerId: string,
  filter: ClaimFilter,
): Promise<ClaimedRow | undefined> {
  const locked: number[] = []
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const exceptRequests = [...filter.exceptRequests, ...locked]
    const row = await tryClaim(sql, workerId, { ...filter, exceptRequests })
    if (row === undefined || row.id !== null) return row
    locked.push(row.jobOf)
  }
  return undefined
}

type ClaimAttempt = (ClaimedRow | { id: null }) & { jobOf: number }

/** Locks the next job, and only then its request. Skips rows that are already locked, to avoid deadlocks. */
async function tryClaim(
  sql: Runner,
  workerId: string,
  { lane, endpoints, exceptAccounts, exceptRequests }: ClaimFilter,
): Promise<ClaimAttempt | undefined> {
  const named = sql`${lane}::text`
  // This is a scalar subquery, because the planner would turn a join into a scan of all requests.
  const canClaim = sql`(
    select r.worker_id is null and r.completed_at is null and r.endpoint = any(${endpoints}::text[])
    from requests r where r.id = j.record_id
  ) and j.record_id <> all(${exceptRequests}::bigint[])`
  const isForOthers = exceptAccounts.length > 0
  const [row] = await sql<ClaimAttempt[]>`
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
        -- A claim can begin before the request that it finds was written.
        started_at = coalesce(started_at, greatest(now(), r.created_at))
      from free where r.id = free.id
      returning r.*
    ), job as (
      update jobs j set worker_id = ${workerId}, attempt = r.attempt
      -- A scalar subquery: a plan made for a small table would join by reading all finished jobs.
      from r where j.kind = 'request' and j.record_id = (select id from r)
      returning ${advanceClock(sql, named, sql`j.tag`)} as clock
    )
    select due.record_id as "jobOf", ${requestColumns(sql)}, r.trace, r.call_id as "callId", account.tier, account.max_source_bytes as "maxSourceBytes",
      r.hold, r.unit_price as "unitPrice", r.destination
    from due left join r on r.id = due.record_id left join accounts account on account.id = r.account_id
      cross join ${WITHOUT_DISK(sql)}`
  return row
}

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

export async function isWorkWaiting(sql: Runner, lanes: readonly Lane[]): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`select ${isAnyWaiting(sql, lanes)} as waiting`
  return row?.waiting === true
}

const isAnyWaiting = (sql: Runner, lanes: readonly Lane[]) => sql`
  exists (select from unnest(${lanes}::text[]) as wanted (lane) where ${isWaiting(sql, sql`wanted.lane`)})`

const isWaiting = (sql: Runner, lane: Fragment) => sql`
  1 = (
    select count(*) from (
      select from jobs j where j.lane = ${lane} and j.worker_id is null and j.tag >= ${floorOf(sql, lane)}
      order by j.tag, j.record_id
      limit 1
    ) front
  )`

type WorkerPollResult = {
  isWaiting: boolean
  isLost: boolean
  /** Whether the database has assigned this worker a request that is not in `known`. */
  isUnknown: boolean
  isDraining: boolean
}

export async function checkForWork(
  sql: Runner,
  workerId: string,
  known: number[],
  lanes: readonly Lane[],
): Promise<WorkerPollResult> {
  const [row] = await sql<WorkerPollResult[]>`
    select ${isAnyWaiting(sql, lanes)} as "isWaiting",
      exists (select from jobs j where ${isLost(sql)}) as "isLost",
      exists (
        select from jobs where kind = 'request' and worker_id = ${workerId} and record_id <> all(${known}::bigint[])
      ) as "isUnknown",
      exists (select from workers where id = ${workerId} and draining_at is not null) as "isDraining"`
  return row ?? { isWaiting: false, isLost: false, isUnknown: false, isDraining: false }
}
