import type { Sql } from '../db/connection/connect.ts'
import { answers } from '../db/connection/health.ts'

/** Returns whether the database can run a query on the service's tables. */
export async function isReachable(sql: Sql): Promise<boolean> {
  return await answers(sql)
}
