import { USAGE_DAYS } from '@mediamill/contract/domain/limits'
import type { UsageQuery, UsageRow } from '../db/accounts/usage.ts'
import { sumUsage } from '../db/accounts/usage.ts'
import type { Sql } from '../db/connection/connect.ts'

export type { UsageRow } from '../db/accounts/usage.ts'

/** The calendar date of a moment, in UTC. */
export const utcDate = (moment: Date): string => moment.toISOString().slice(0, 10)

/** The days that are summed when none are named: the last 30, today included. */
export function lastDays(now: Date): { from: string; to: string } {
  return { from: utcDate(new Date(now.getTime() - (USAGE_DAYS.default - 1) * 86_400_000)), to: utcDate(now) }
}

/** Sums an account's requests by one group (Spec 2.6, rulings 11). */
export async function usageOf(sql: Sql, query: UsageQuery): Promise<UsageRow[]> {
  return await sumUsage(sql, query)
}
