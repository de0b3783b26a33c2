import type { Runner } from './connection/connect.ts'

export type LeaseRow = { id: number; workerId: string; attempt: number }

/** The result of `updateHold`. `left`: the balance minus the holds of the account's other requests. */
export type RaisedHold = { isRaised: boolean; left: number }

/**
 * Raises the hold if the account's other holds are at most its balance, so that only one request can exceed the credit
 * (billing.holds.2). Returns `undefined` if the hold is already that high, or if the attempt was lost.
 */
export async function updateHold(sql: Runner, lease: LeaseRow, hold: number): Promise<RaisedHold | undefined> {
  const [row] = await sql<RaisedHold[]>`
    with before as materialized (
      select id, account_id, hold from requests
      where id = ${lease.id} and worker_id = ${lease.workerId} and attempt = ${lease.attempt}
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

/** Records the progress of a request, 0 to 99. It never decreases (requests.object.4). */
export async function updateProgress(sql: Runner, lease: LeaseRow, percent: number): Promise<void> {
  const whole = Math.min(Math.floor(percent), 99)
  await sql`
    update requests set progress = ${whole}
    where id = ${lease.id} and worker_id = ${lease.workerId} and attempt = ${lease.attempt} and progress < ${whole}`
}
