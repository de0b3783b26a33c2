import type { Sql } from '../db/connection/connect.ts'
import { answers } from '../db/connection/health.ts'

/** Tells whether the database answers, with the accounts and all else in it. */
export async function isReachable(sql: Sql): Promise<boolean> {
  return await answers(sql)
}
