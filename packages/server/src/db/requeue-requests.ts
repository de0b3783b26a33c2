import type { LeaseRow } from './claimed-request.ts'
import type { Runner } from './connection/connect.ts'
import type { Fragment } from './connection/statement.ts'
import { clockOf } from './fair-order.ts'
import { isAlive } from './workers.ts'

/** Selects jobs `j` whose worker is lost. */
export const isLost = (sql: Runner) => sql`
  j.kind = 'request' and j.worker_id is not null
    and not exists (select from workers w where w.id = j.worker_id and ${isAlive(sql)})`

export async function requeueLost(sql: Runner, maxAttempts: number): Promise<number[]> {
  return await requeueWhere(sql, sql`${isLost(sql)} and j.attempt < ${maxAttempts}`, sql`r.attempt`)
}

/** Lists requests of lost workers that have no attempt left. The caller must make these requests fail. */
export async function listExhaustedRequests(
  sql: Runner,
  maxAttempts: number,
): Promise<{ id: number; workerId: string; attempt: number }[]> {
  return await sql<{ id: number; workerId: string; attempt: number }[]>`
    select j.record_id as id, j.worker_id as "workerId", j.attempt from jobs j
    where ${isLost(sql)} and j.attempt >= ${maxAttempts}
    limit 100`
}

export async function requeue(sql: Runner, lease: LeaseRow): Promise<void> {
  await requeueWhere(sql, ownsLease(sql, lease), sql`r.attempt`)
}

export async function requeueUncounted(sql: Runner, lease: LeaseRow): Promise<void> {
  await requeueWhere(sql, ownsLease(sql, lease), uncountedAttempt(sql))
}

/**
 * Requeues the requests that are assigned to the worker, but are not in `known`. Do not call this function during a
 * claim, because the claimed request is not in `known` yet.
 */
export async function requeueUnknown(sql: Runner, workerId: string, known: number[]): Promise<number[]> {
  const unknown = sql`j.kind = 'request' and j.worker_id = ${workerId} and j.record_id <> all(${known}::bigint[])`
  return await requeueWhere(sql, unknown, sql`r.attempt`)
}

export async function requeueAll(sql: Runner, workerId: string): Promise<number> {
  const requeued = await requeueWhere(sql, sql`j.kind = 'request' and j.worker_id = ${workerId}`, uncountedAttempt(sql))
  await sql`delete from workers where id = ${workerId}`
  return requeued.length
}

const ownsLease = (sql: Runner, { id, workerId, attempt }: LeaseRow) => sql`
  j.kind = 'request' and j.record_id = ${id} and j.worker_id = ${workerId} and j.attempt = ${attempt}`

const uncountedAttempt = (sql: Runner) => sql`r.attempt - 1`

/** Requeues the selected jobs `j`. Raises their tags to at least the highest claimed tag of their lanes. */
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
