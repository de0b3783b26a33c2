import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/**
 * Returns the CTE `locked`, which locks each `account_id` of the CTE `from` until the transaction ends, in the order of
 * the ids. The locks are advisory locks, because row locks can deadlock. If another transaction has updated a row, a
 * statement that locks and updates this row also locks its old version, which a third transaction can hold.
 */
export const lockedAccounts = (sql: Runner, from: Fragment) => sql`
  locked as materialized (
    select account_id as id, pg_advisory_xact_lock(${lockOf(sql, sql`account_id`)})
    from (select account_id from ${from} order by account_id) in_order
  )`

export const lockOf = (sql: Runner, accountId: Fragment) =>
  sql`hashtextextended('mediamill account ' || ${accountId}, 0)`
