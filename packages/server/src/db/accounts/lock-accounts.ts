import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/**
 * Returns the CTE `locked`, which locks each `account_id` of the CTE `from` until the transaction ends, in the order of
 * the ids. Advisory locks, because row locks can deadlock: after another transaction's update, a statement that locks
 * and then updates a row returns to the row version of its snapshot, where a third transaction can wait.
 */
export const lockedAccounts = (sql: Runner, from: Fragment) => sql`
  locked as materialized (
    select account_id as id, pg_advisory_xact_lock(${lockOf(sql, sql`account_id`)})
    from (select account_id from ${from} order by account_id) in_order
  )`

export const lockOf = (sql: Runner, accountId: Fragment) =>
  sql`hashtextextended('mediamill account ' || ${accountId}, 0)`
