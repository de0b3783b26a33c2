import type { Sql } from '../db/connect.ts'
import type { UsageQuery, UsageRow } from '../db/usage.ts'
import { sumUsage } from '../db/usage.ts'

export { USAGE_GROUPS, type UsageGroup, type UsageRow } from '../db/usage.ts'

/** Days that one question may cover, both ends included (Spec 4.4, rulings 14). */
export const MAX_USAGE_DAYS = 92

/** Days before today that are summed when no first day is named (Spec 4.4). */
const DEFAULT_DAYS_BACK = 29

/** The calendar date of a moment, in UTC. */
export const utcDate = (moment: Date): string => moment.toISOString().slice(0, 10)

/** The days that are summed when none are named: the last 30, today included. */
export function lastDays(now: Date): { from: string; to: string } {
  return { from: utcDate(new Date(now.getTime() - DEFAULT_DAYS_BACK * 86_400_000)), to: utcDate(now) }
}

/** What an account's requests came to, by one group (Spec 2.6, rulings 11). */
export async function usageOf(sql: Sql, query: UsageQuery): Promise<UsageRow[]> {
  return await sumUsage(sql, query)
}
