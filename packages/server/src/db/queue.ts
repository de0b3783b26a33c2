import type { Runner } from './connection/connect.ts'
import { floorOf } from './fair-order.ts'

export type QueuedRow = {
  id: number
  accountId: number
  endpoint: string
  lane: string
  status: string
  attempt: number
  progress: number
  workerId: string | null
  createdAt: Date
  startedAt: Date | null
  /** How many segments a split video has. `partsMade`: how many are finished. Both are 0 for an unsplit video. */
  partsTotal: number
  partsMade: number
}

const columns = (sql: Runner) => sql`
  r.id, r.account_id as "accountId", r.endpoint, r.lane, r.status, r.attempt, r.progress, r.worker_id as "workerId",
  r.created_at as "createdAt", r.started_at as "startedAt",
  (select count(*)::integer from video_parts p where p.request_id = r.id) as "partsTotal",
  (select count(p.key)::integer from video_parts p where p.request_id = r.id) as "partsMade"`

export async function listRunning(sql: Runner, limit: number): Promise<QueuedRow[]> {
  return await sql<QueuedRow[]>`
    select ${columns(sql)}
    from jobs j cross join lateral (select * from requests where requests.id = j.record_id limit 1) r
    where j.kind = 'request' and j.worker_id is not null
    order by r.started_at limit ${limit}`
}

/** How many positions of the queue to search for retried requests, which are near its front. */
const FRONT = 500

export async function listFront(
  sql: Runner,
  lanes: readonly string[],
  which: { triedBefore: boolean; limit: number },
): Promise<QueuedRow[]> {
  return await sql<QueuedRow[]>`
    select front.* from unnest(${lanes}::text[]) as lanes (name) cross join lateral (
      select ${columns(sql)} from (
        select record_id, attempt, tag from jobs
        where lane = lanes.name and worker_id is null and tag >= ${floorOf(sql, sql`lanes.name`)}
        order by tag, record_id limit ${which.triedBefore ? FRONT : which.limit}
      ) j cross join lateral (select * from requests where requests.id = j.record_id limit 1) r
      where ${which.triedBefore ? sql`j.attempt > 0` : sql`true`}
      order by j.tag, j.record_id
      limit ${which.limit}
    ) front`
}
