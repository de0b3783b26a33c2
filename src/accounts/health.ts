import type { Sql } from '../db/connection/connect.ts'
import { answers } from '../db/connection/health.ts'

/** Whether the accounts, and all else in the database, can be reached. */
export async function isReachable(sql: Sql): Promise<boolean> {
  return await answers(sql)
}
