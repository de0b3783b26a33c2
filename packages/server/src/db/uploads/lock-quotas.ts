import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/** Locks quotas in a fixed order, so that statements that update several quotas cannot deadlock. */
export const lockedQuotas = (sql: Runner, from: Fragment) => sql`
  locked_quota as materialized (
    select r.account_id, r.livemode from upload_room r join ${from} using (account_id, livemode)
    order by r.account_id, r.livemode for update of r
  )`

/** Subtracts the bytes in `freed` from their quotas. */
export const releasedQuotas = (sql: Runner) => sql`
  ${lockedQuotas(sql, sql`freed`)}, room as (
    update upload_room r set bytes = r.bytes - freed.bytes
    from freed join locked_quota using (account_id, livemode)
    where r.account_id = freed.account_id and r.livemode = freed.livemode
  )`
