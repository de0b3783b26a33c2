import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/**
 * Returns the CTE `locked`, which makes statements that change accounts take turns: one lock for each `account_id` of
 * the CTE `from`, in the order of the ids, until the transaction ends. It takes advisory locks, because a statement
 * that first locks a row and then updates it can deadlock: after another update, it returns to the row version of its
 * snapshot, and another transaction can wait there.
 */
export const lockedAccounts = (sql: Runner, from: Fragment) => sql`
  locked as materialized (
    select account_id as id, pg_advisory_xact_lock(${lockOf(sql, sql`account_id`)})
    from (select account_id from ${from} order by account_id) in_order
  )`

export const lockOf = (sql: Runner, accountId: Fragment) =>
  sql`hashtextextended('mediamill account ' || ${accountId}, 0)`
