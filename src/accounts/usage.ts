import type { Sql } from '../db/connect.ts'
import type { UsageQuery, UsageRow } from '../db/usage.ts'
import { sumUsage } from '../db/usage.ts'

export { USAGE_GROUPS, type UsageGroup, type UsageRow } from '../db/usage.ts'

/** Days that one question may cover, both ends included (Spec 4.4, rulings 14). */
export const MAX_USAGE_DAYS = 92

/** What an account's requests came to, by one group (Spec 2.6, rulings 11). */
export async function usageOf(sql: Sql, query: UsageQuery): Promise<UsageRow[]> {
  return await sumUsage(sql, query)
}
