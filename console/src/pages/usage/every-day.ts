import { daysFrom } from '@mediamill/contract/lib/moment'
import type { UsageRow } from './usage-row.ts'

/** Returns the spending of each day, including days without requests. */
export function everyDay(from: string, to: string, rows: UsageRow[]): { date: string; spent: number }[] {
  const spent = new Map(rows.map(({ key, spent_micro_usd }) => [key, spent_micro_usd]))
  return daysFrom(from, to).map((date) => ({ date, spent: spent.get(date) ?? 0 }))
}
