import type { Runner } from '../connection/connect.ts'
import type { Fragment } from '../connection/statement.ts'

/**
 * Returns a CTE that locks each `account_id` of the CTE `from` in ascending order. Row locks could deadlock even in
 * this order: for a row that was updated after the statement began, PostgreSQL locks the old and the new version, and
 * another transaction may hold either.
 */
export const lockedAccounts = (sql: Runner, from: Fragment) => sql`
  locked as materialized (
    select account_id as id, pg_advisory_xact_lock(${lockOf(sql, sql`account_id`)})
    from (select account_id from ${from} order by account_id) in_order
  )`

export const lockOf = (sql: Runner, accountId: Fragment) =>
  sql`hashtextextended('mediamill account ' || ${accountId}, 0)`
