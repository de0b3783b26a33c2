import type { Sql } from '../db/connect.ts'
import { sumUsage, type UsageQuery, type UsageRow } from '../db/usage.ts'

export type { UsageRow } from '../db/usage.ts'

/** What an account's requests came to, by one group (Spec 2.6, decisions 11). */
export async function usageOf(sql: Sql, query: UsageQuery): Promise<UsageRow[]> {
  return await sumUsage(sql, query)
}
