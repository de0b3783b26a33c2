import type { Tier } from '@mediamill/contract/domain/limits'
import type { Runner } from '../connection/connect.ts'
import { json } from '../connection/json.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import { isAlive } from '../workers.ts'

export type SegmentLease = { partId: number; workerId: string; attempt: number }

export type ClaimedSegmentRow = RequestRow & {
  partId: number
  number: number
  partAttempt: number
  plan: unknown
  from: unknown
  tier: Tier
  maxSourceBytes: number | null
}

/**
 * The segments to claim. With `ofRequests`, only segments of these requests, and at most one of each request at a time.
 */
export type SegmentFilter = { format: string; ofRequests?: readonly number[] }

/** With this many slots or more, an account must leave a tenth of them, and at least one, to other accounts. */
const LEAVING_FROM = 4

/**
 * Claims a segment. With `ofRequests`, claims only segments of these requests, and ignores the limit of segments per
 * account, so that each video makes progress.
 */
export async function claimSegment(
  sql: Runner,
  workerId: string,
  { format, ofRequests }: SegmentFilter,
): Promise<ClaimedSegmentRow | undefined> {
  const [row] = await sql<ClaimedSegmentRow[]>`
    with slots as (
      select coalesce(sum(video_places), 0) as total from workers where ${isAlive(sql)}
    ), running as (
      select l.account_id, count(*) as count from video_parts p join part_plans l on l.request_id = p.request_id
      where p.worker_id is not null group by l.account_id
    ), due as (
      select next.id
      from slots cross join part_plans l
        join requests r on r.id = l.request_id and r.completed_at is null and r.worker_id = l.worker_id and r.attempt = l.attempt
        left join running on running.account_id = l.account_id
        cross join lateral (
          select p.id from video_parts p
          where p.request_id = l.request_id and p.worker_id is null and p.completed_at is null and p.due_at <= now()
          order by p.number limit 1 for update skip locked
        ) next
      where l.format = ${format} and not l.given_up
        and ${
          ofRequests === undefined
            ? sql`coalesce(running.count, 0) < case when slots.total < ${LEAVING_FROM}::integer then slots.total
                else slots.total - greatest(1, slots.total / 10) end`
            : sql`l.request_id = any(${ofRequests}::bigint[])
                and not exists (select from video_parts o where o.request_id = l.request_id and o.worker_id is not null)`
        }
      order by coalesce(running.count, 0), l.turn, l.request_id
      limit 1
    ), part as (
      update video_parts p set worker_id = ${workerId}, attempt = attempt + 1, progress = 0, started_at = now()
      from due where p.id = due.id
      returning p.*
    )
    select ${requestColumns(sql)}, part.id as "partId", part.number, part.attempt as "partAttempt", l.plan,
      l.source as "from", a.tier, a.max_source_bytes as "maxSourceBytes"
    from part join part_plans l on l.request_id = part.request_id join requests r on r.id = part.request_id
      join accounts a on a.id = r.account_id`
  return row
}

/** Returns whether any segment waits for a worker. Ignores the limits of accounts. */
export async function isSegmentWaiting(sql: Runner, format: string): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`
    select exists (
      select from part_plans l join video_parts p on p.request_id = l.request_id
      where l.format = ${format} and not l.given_up and p.worker_id is null and p.completed_at is null and p.due_at <= now()
    ) as waiting`
  return row?.waiting === true
}

export async function listLeasedSegments(
  sql: Runner,
  workerId: string,
  segmentIds: readonly number[],
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select p.id from video_parts p join requests r on r.id = p.request_id
    where p.id = any(${segmentIds}::bigint[]) and p.worker_id = ${workerId} and r.completed_at is null`
  return rows.map(({ id }) => id)
}

/** Records the progress of a segment, 0 to 99. It never decreases within an attempt. */
export async function updateSegmentProgress(sql: Runner, lease: SegmentLease, percent: number): Promise<void> {
  const whole = Math.min(Math.floor(percent), 99)
  await sql`
    update video_parts set progress = ${whole}
    where id = ${lease.partId} and worker_id = ${lease.workerId} and attempt = ${lease.attempt} and progress < ${whole}`
}

export type SegmentEnd = { sourceBytes: number } & (
  | { file: { key: string; size: number }; data: Record<string, unknown> }
  | { error: Record<string, unknown> }
)

export async function finishSegment(sql: Runner, lease: SegmentLease, end: SegmentEnd): Promise<boolean> {
  const made = 'file' in end ? end : undefined
  const finished = await sql`
    update video_parts p set
      worker_id = null, completed_at = now(), progress = 100, source_bytes = ${end.sourceBytes},
      key = ${made?.file.key ?? null}, size = ${made?.file.size ?? null}, data = ${json(made?.data)},
      error = ${json('error' in end ? end.error : undefined)}
    from requests r
    where p.id = ${lease.partId} and p.worker_id = ${lease.workerId} and p.attempt = ${lease.attempt}
      and p.completed_at is null and r.id = p.request_id and r.completed_at is null`
  return finished.count > 0
}

/** Returns whether the file is recorded. If so, `finishSegment` succeeded, but its response was lost. */
export async function isSegmentFile(sql: Runner, segmentId: number, key: string): Promise<boolean> {
  const found = await sql`select from video_parts where id = ${segmentId} and key = ${key}`
  return found.count > 0
}

export async function requeueSegment(sql: Runner, lease: SegmentLease, restMs: number): Promise<void> {
  await sql`
    update video_parts set worker_id = null, due_at = now() + ${restMs} * interval '1 millisecond'
    where id = ${lease.partId} and worker_id = ${lease.workerId} and attempt = ${lease.attempt} and completed_at is null`
}

/**
 * Requeues the segments that are assigned to the worker, but are not in `known`. Do not call this function during a
 * claim, because the claimed segment is not in `known` yet.
 */
export async function requeueUnknownSegments(sql: Runner, workerId: string, known: readonly number[]): Promise<number> {
  const freed = await sql`
    update video_parts set worker_id = null
    where worker_id = ${workerId} and completed_at is null and id <> all(${known}::bigint[])`
  return freed.count
}

export async function requeueAllSegments(sql: Runner, workerId: string): Promise<number> {
  const freed = await sql`
    update video_parts set worker_id = null, attempt = attempt - 1
    where worker_id = ${workerId} and completed_at is null`
  return freed.count
}

export async function requeueLostSegments(
  sql: Runner,
  requestId: number,
  { maxAttempts, error }: { maxAttempts: number; error: Record<string, unknown> },
): Promise<number> {
  const lost = await sql`
    update video_parts p set worker_id = null,
      completed_at = case when p.attempt >= ${maxAttempts} then now() end,
      error = case when p.attempt >= ${maxAttempts} then ${json(error)}::json end
    where p.request_id = ${requestId} and p.worker_id is not null and p.completed_at is null
      and not exists (select from workers w where w.id = p.worker_id and ${isAlive(sql)})`
  return lost.count
}

/** The progress of a split video. `share`: 0 to 1. `failed`: the error of the first failed segment. */
export type SegmentsState = {
  total: number
  done: number
  waiting: number
  share: number
  sourceBytes: number
  failed: Record<string, unknown> | null
}

export async function readSegmentsState(sql: Runner, requestId: number): Promise<SegmentsState> {
  const [row] = await sql<SegmentsState[]>`
    select count(*)::integer as total, count(key)::integer as done,
      (count(*) filter (where worker_id is null and completed_at is null and due_at <= now()))::integer as waiting,
      coalesce(sum(weight::bigint * progress)::float / nullif(sum(weight::bigint) * 100, 0), 0) as share,
      coalesce(sum(source_bytes), 0)::bigint as "sourceBytes",
      (array_agg(error order by number) filter (where error is not null))[1] as failed
    from video_parts where request_id = ${requestId}`
  return row ?? { total: 0, done: 0, waiting: 0, share: 0, sourceBytes: 0, failed: null }
}

export type DoneSegment = { number: number; key: string; size: number; data: Record<string, unknown> }

export async function listDoneSegments(sql: Runner, requestId: number): Promise<DoneSegment[]> {
  return await sql<DoneSegment[]>`
    select number, key, size, data from video_parts
    where request_id = ${requestId} and key is not null order by number`
}
