import type { UsageRow } from './usage-row.ts'

/** Returns the spending of each day, including days without requests. */
export function everyDay(from: string, to: string, rows: UsageRow[]): { date: string; spent: number }[] {
  const spent = new Map(rows.map(({ key, spent_micro_usd }) => [key, spent_micro_usd]))
  const days: { date: string; spent: number }[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
    const date = new Date(at).toISOString().slice(0, 10)
    days.push({ date, spent: spent.get(date) ?? 0 })
  }
  return days
}
