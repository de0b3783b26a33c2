import { USAGE_DAYS } from '@mediamill/contract/domain/limits'
import { microUsd, toDollars } from '@mediamill/contract/domain/money'
import type { UsageGroup } from '@mediamill/contract/domain/usage'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { DAY_MS } from '@mediamill/contract/lib/moment'
import type { UsageBody } from '@mediamill/contract/objects/usage'
import type { QueryOf } from '@mediamill/contract/route'
import { getUsage } from '@mediamill/contract/routes/account'
import type { FastifyInstance } from 'fastify'
import { lastDays } from '../../accounts/usage.ts'
import type { UsageRow } from '../../db/accounts/usage.ts'
import { sumUsage } from '../../db/accounts/usage.ts'
import type { ApiContext } from '../api-context.ts'
import { serveRoute } from '../serve-route.ts'

export function serveUsage(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, getUsage, async ({ query, caller: { account, livemode } }) => {
    const range = rangeOf(query, new Date())
    const { group_by: groupBy, customer = null } = query
    const rows = await sumUsage(api.sql, { accountId: account.id, livemode, ...range, groupBy, customer })
    return presentUsage(range, groupBy, rows)
  })
}

type Range = { from: string; to: string }

function rangeOf({ from: first, to: last }: QueryOf<typeof getUsage>, now: Date): Range {
  const recent = lastDays(now)
  const { from, to } = { from: first ?? recent.from, to: last ?? recent.to }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  const invalidRange = (problem: string) =>
    validationFailed([{ param: 'from', code: 'out_of_range', message: `from ${problem}.` }])
  if (days < 1) throw invalidRange(`must not be after to (got ${from} and ${to})`)
  if (days > USAGE_DAYS.maximum)
    throw invalidRange(`and to may cover at most ${USAGE_DAYS.maximum} days, both included`)
  return { from, to }
}

/** Returns rows with a field that is named by the value of `groupBy`, such as `endpoint` (usage.rows.1). */
function presentUsage(range: Range, groupBy: UsageGroup, rows: readonly UsageRow[]): UsageBody {
  const data = rows.map((row) => ({
    [groupBy]: row.key,
    requests: row.requests,
    succeeded: row.succeeded,
    failed: row.failed,
    spent: toDollars(microUsd(row.spent)),
    spent_micro_usd: row.spent,
    source_bytes: row.sourceBytes,
    result_bytes: row.resultBytes,
  }))
  return { object: 'usage', ...range, group_by: groupBy, data } as UsageBody
}
