import type { Runner } from './connection/connect.ts'

/** Returns the current day in UTC, as SQL. */
export const today = (sql: Runner) => sql`(now() at time zone 'utc')::date`

/** Returns how many test requests an account has started today, as SQL. The row may contain the number of an earlier day. */
export const testAcceptedToday = (sql: Runner) => sql`case when test_day = ${today(sql)} then test_accepted else 0 end`
