import { countFailures, firstSteps } from '../../db/accounts/overview.ts'
import type { UsageRow } from '../../db/accounts/usage.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { lastDays, usageOf } from '../usage.ts'

export type Overview = {
  days: { date: string; requests: number; spent: number }[]
  failures: { code: string; requests: number }[]
  steps: { keyUsed: boolean; firstRequest: boolean }
}

const DAY_MS = 86_400_000

export async function overviewOf(sql: Sql, accountId: number, livemode: boolean | null): Promise<Overview> {
  const range = lastDays(new Date())
  const modes = livemode === null ? [true, false] : [livemode]
  const sums = await Promise.all(
    modes.map((mode) => usageOf(sql, { accountId, livemode: mode, ...range, groupBy: 'day', customer: null })),
  )
  const [failures, steps] = await Promise.all([
    countFailures(sql, accountId, livemode),
    firstSteps(sql, accountId, livemode),
  ])
  return { days: withEmptyDays(range, sums.flat()), failures, steps }
}

function withEmptyDays({ from, to }: { from: string; to: string }, rows: readonly UsageRow[]): Overview['days'] {
  const ofDay = Map.groupBy(rows, ({ key }) => key)
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  return Array.from({ length: days }, (_, nth) => {
    const date = new Date(Date.parse(from) + nth * DAY_MS).toISOString().slice(0, 10)
    const own = ofDay.get(date) ?? []
    return {
      date,
      requests: own.reduce((sum, row) => sum + row.requests, 0),
      spent: own.reduce((sum, row) => sum + row.spent, 0),
    }
  })
}
