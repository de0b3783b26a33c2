import type { LeaseRow } from '../claimed-request.ts'
import type { Runner } from '../connection/connect.ts'
import { json } from '../connection/json.ts'
import type { Fragment } from '../connection/statement.ts'

/** A segment to make. `weight`: its length in milliseconds, at least 1, which weights the video's progress. */
export type PlannedSegment = { weight: number; part: unknown }

export type PlanRow = { format: string; source: unknown; plan: unknown; isAbandoned: boolean }

/** Inserts the plan of a split video and its segments. Returns `false` if the claim was lost, or a plan exists. */
export async function insertPlan(
  sql: Runner,
  lease: LeaseRow,
  { format, source, plan }: Pick<PlanRow, 'format' | 'source' | 'plan'>,
  segments: readonly PlannedSegment[],
): Promise<boolean> {
  const written = await sql`
    with r as (
      select id, account_id, turn from requests
      where id = ${lease.id} and worker_id = ${lease.workerId} and attempt = ${lease.attempt} and completed_at is null
      for no key update
    ), plan as (
      insert into part_plans (request_id, account_id, worker_id, attempt, format, source, plan, turn)
      select id, account_id, ${lease.workerId}, ${lease.attempt}, ${format}, ${json(source)}, ${json(plan)}, turn from r
      on conflict (request_id) do nothing
      returning request_id
    )
    insert into video_parts (request_id, number, weight, part)
    select plan.request_id, part.number - 1, part.weight, part.part::json
    from plan cross join unnest(
      ${segments.map(({ weight }) => weight)}::integer[], ${segments.map(({ part: segment }) => JSON.stringify(segment))}::text[]
    ) with ordinality as part (weight, part, number)`
  return written.count > 0
}

/** Assigns a plan to the worker that holds the request. Until then, no worker can claim the plan's segments. */
export async function adoptPlan(sql: Runner, lease: LeaseRow): Promise<PlanRow | undefined> {
  const [row] = await sql<PlanRow[]>`
    update part_plans l set worker_id = r.worker_id, attempt = r.attempt
    from requests r
    where l.request_id = r.id and ${ownsLease(sql, lease)}
    returning l.format, l.source, l.plan, l.given_up as "isAbandoned"`
  return row
}

/** Abandons a request's plan for good. Deletes its segments, and returns their files, which the caller must delete. */
export async function markPlanAbandoned(sql: Runner, lease: LeaseRow): Promise<string[]> {
  const rows = await sql<{ key: string | null }[]>`
    with given as (
      update part_plans l set given_up = true
      from requests r
      where l.request_id = r.id and ${ownsLease(sql, lease)}
      returning l.request_id
    )
    delete from video_parts p using given where p.request_id = given.request_id
    returning p.key`
  return rows.flatMap(({ key }) => key ?? [])
}

export async function deletePlan(sql: Runner, lease: LeaseRow): Promise<string[]> {
  return await deletePlans(sql, ownsLease(sql, lease))
}

export type EndedPlan = { requestId: number; keys: string[] }

export async function listEndedPlans(sql: Runner, limit: number, requestId?: number): Promise<EndedPlan[]> {
  const rows = await sql<{ requestId: number; keys: string[] | null }[]>`
    select l.request_id as "requestId",
      (select array_agg(p.key) from video_parts p where p.request_id = l.request_id and p.key is not null) as keys
    from part_plans l join requests r on r.id = l.request_id
    where r.completed_at is not null and ${requestId === undefined ? sql`true` : sql`r.id = ${requestId}`}
    order by l.request_id limit ${limit}`
  return rows.map(({ requestId: id, keys }) => ({ requestId: id, keys: keys ?? [] }))
}

/** Deletes the plans and segments of ended requests. Returns all segment files, even those stored after the end. */
export async function deleteEndedPlans(sql: Runner, requestIds: readonly number[]): Promise<string[]> {
  return await deletePlans(sql, sql`r.id = any(${requestIds}::bigint[]) and r.completed_at is not null`)
}

const ownsLease = (sql: Runner, { id, workerId, attempt }: LeaseRow) => sql`
  r.id = ${id} and r.worker_id = ${workerId} and r.attempt = ${attempt} and r.completed_at is null`

async function deletePlans(sql: Runner, where: Fragment): Promise<string[]> {
  const rows = await sql<{ key: string | null }[]>`
    with gone as (
      select r.id from requests r where ${where}
    ), parts as (
      delete from video_parts p using gone where p.request_id = gone.id returning p.key
    ), plans as (
      delete from part_plans l using gone where l.request_id = gone.id
    )
    select key from parts`
  return rows.flatMap(({ key }) => key ?? [])
}
