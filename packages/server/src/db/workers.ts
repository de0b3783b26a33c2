import type { Runner } from './connection/connect.ts'

/**
 * Selects living workers. A worker without a heartbeat for 8 s is lost. The requests of a lost worker are requeued
 * within 15 s (requests.states.4).
 */
export const isAlive = (sql: Runner) => sql`seen_at > now() - interval '8 seconds'`

/** A worker that sends heartbeats. `isolation`: the sandbox level. A maintenance worker runs no jobs. */
export type LivingWorker = {
  id: string
  host: string
  pid?: number
  isolation?: string | undefined
  videoSlots?: number | undefined
  version?: string | undefined
  role?: 'jobs' | 'maintenance'
}

export async function renewHeartbeat(sql: Runner, worker: LivingWorker, requestIds: number[]): Promise<number[]> {
  const [row] = await sql<{ held: number[] | null }[]>`
    with alive as (
      insert into workers (id, host, isolation, video_places, version, role, pid)
      values (
        ${worker.id}, ${worker.host}, ${worker.isolation ?? null}, ${worker.videoSlots ?? null}, ${worker.version ?? null},
        ${worker.role ?? 'jobs'}, ${worker.pid ?? null}
      )
      on conflict (id) do update set seen_at = clock_timestamp()
    )
    select array_agg(record_id) as held from jobs
    where kind = 'request' and record_id = any(${requestIds}::bigint[]) and worker_id = ${worker.id}`
  return row?.held ?? []
}

export async function deleteLostWorkers(sql: Runner): Promise<void> {
  await sql`
    delete from workers w where seen_at < now() - interval '1 hour'
      and not exists (select from jobs j where j.worker_id = w.id)`
}

export type WorkerRow = {
  id: string
  host: string
  pid: number | null
  isolation: string | null
  version: string | null
  /** The role, or `null` for a worker of an older version, which cannot be drained. */
  role: 'jobs' | 'maintenance' | null
  alive: boolean
  drainingAt: Date | null
  running: number
  parts: number
  startedAt: Date
  seenAt: Date
}

export async function listWorkers(sql: Runner): Promise<WorkerRow[]> {
  return await sql<WorkerRow[]>`
    select w.id, w.host, w.pid, w.isolation, w.version, w.role, ${isAlive(sql)} as alive, w.draining_at as "drainingAt",
      coalesce(work.running, 0)::integer as running,
      (select count(*) from video_parts p where p.worker_id = w.id)::integer as parts, w.started_at as "startedAt", w.seen_at as "seenAt"
    from workers w left join (
      select worker_id, count(*) as running from jobs where worker_id is not null group by worker_id
    ) work on work.worker_id = w.id
    where w.seen_at > now() - interval '1 hour'
    order by alive desc, w.seen_at desc limit 200`
}

/** Makes a worker drain: it claims no more jobs, and exits when its jobs have ended. */
export async function markDraining(sql: Runner, id: string): Promise<'draining' | 'too old' | 'not alive'> {
  const [worker] = await sql<{ isTooOld: boolean }[]>`
    update workers set draining_at = case when role is not null then coalesce(draining_at, now()) end
    where id = ${id} and ${isAlive(sql)}
    returning role is null as "isTooOld"`
  if (worker === undefined) return 'not alive'
  return worker.isTooOld ? 'too old' : 'draining'
}
