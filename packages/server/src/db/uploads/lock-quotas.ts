import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/**
 * Returns the CTE `locked_quota`, which locks the quota row of each account and mode of the CTE `from`. The order is
 * fixed, so statements that update the quotas of several accounts cannot deadlock.
 */
export const lockedQuotas = (sql: Runner, from: Fragment) => sql`
  locked_quota as materialized (
    select r.account_id, r.livemode from upload_room r join ${from} using (account_id, livemode)
    order by r.account_id, r.livemode for update of r
  )`
