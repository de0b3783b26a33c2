import type { Runner } from '../connection/connect.ts'

/** Counts only segments of unfinished split videos. `oldestSeconds`: the age of the oldest of these videos. */
type SegmentCounts = {
  waiting: number
  running: number
  done: number
  failed: number
  videos: number
  workers: number
  oldestSeconds: number
}

export async function countSegments(sql: Runner): Promise<SegmentCounts> {
  const [row] = await sql<SegmentCounts[]>`
    select (count(*) filter (where p.worker_id is null and p.completed_at is null))::integer as waiting,
      count(p.worker_id)::integer as running, count(p.key)::integer as done,
      (count(*) filter (where p.completed_at is not null and p.key is null))::integer as failed,
      count(distinct p.request_id)::integer as videos, count(distinct p.worker_id)::integer as workers,
      coalesce(extract(epoch from now() - min(l.created_at)), 0)::float as "oldestSeconds"
    from video_parts p join part_plans l on l.request_id = p.request_id`
  return row ?? { waiting: 0, running: 0, done: 0, failed: 0, videos: 0, workers: 0, oldestSeconds: 0 }
}
