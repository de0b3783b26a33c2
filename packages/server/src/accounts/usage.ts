import { USAGE_DAYS } from '@mediamill/contract/domain/limits'
import type { UsageQuery, UsageRow } from '../db/accounts/usage.ts'
import { sumUsage } from '../db/accounts/usage.ts'
import type { Sql } from '../db/connection/connect.ts'

export type { UsageRow } from '../db/accounts/usage.ts'

const utcDate = (moment: Date): string => moment.toISOString().slice(0, 10)

export function lastDays(now: Date): { from: string; to: string } {
  return { from: utcDate(new Date(now.getTime() - (USAGE_DAYS.default - 1) * 86_400_000)), to: utcDate(now) }
}

export async function usageOf(sql: Sql, query: UsageQuery): Promise<UsageRow[]> {
  return await sumUsage(sql, query)
}
