import type { UsageGroup } from '@mediamill/contract/domain/usage'
import type { Runner } from '../connection/connect.ts'

type UsageQuery = {
  accountId: number
  livemode: boolean
  /** The first day of the period (UTC), `YYYY-MM-DD`. The period includes its first day and its last day. */
  from: string
  to: string
  groupBy: UsageGroup
  customer: string | null
}

export type UsageRow = {
  /** The value of the group: a day, an endpoint, a customer, or a status. `null` for requests without a customer. */
  key: string | null
  requests: number
  succeeded: number
  failed: number
  spent: number
  sourceBytes: number
  resultBytes: number
}

export async function sumUsage(sql: Runner, query: UsageQuery): Promise<UsageRow[]> {
  const { accountId, livemode, from, to, groupBy, customer } = query
  const { column, key } = groupOf(sql, groupBy)
  const rows = await sql<UsageRow[]>`
    with parts (scope, day, endpoint, status, requests, succeeded, failed, spent, source_bytes, result_bytes) as (
      ${finishedParts(sql, groupBy)}
      where account_id = ${accountId} and livemode = ${livemode} and day between ${from}::date and ${to}::date
        and ${scopeOf(sql, query)}
      union all
      select * from (
        select coalesce('=' || customer, '-'), (created_at at time zone 'utc')::date, endpoint, status, 1, 0, 0, 0, 0, 0
        from requests where account_id = ${accountId} and livemode = ${livemode} and status in ('queued', 'processing')
      ) open (scope, day)
      where day between ${from}::date and ${to}::date and (${customer}::text is null or scope = ${`=${customer}`})
    ), summed as (
      select ${column}, sum(requests)::bigint as requests, sum(succeeded)::bigint as succeeded,
        sum(failed)::bigint as failed, sum(spent)::bigint as spent, sum(source_bytes)::bigint as "sourceBytes",
        sum(result_bytes)::bigint as "resultBytes"
      from parts group by 1 having sum(requests) > 0
    )
    select ${key} as key, requests, succeeded, failed, spent, "sourceBytes", "resultBytes" from summed
    order by (${key}) collate "C"`
  return [...rows]
}

function groupOf(sql: Runner, groupBy: UsageGroup) {
  switch (groupBy) {
    case 'day':
      return { column: sql`day`, key: sql`to_char(day, 'YYYY-MM-DD')` }
    case 'endpoint':
      return { column: sql`endpoint`, key: sql`endpoint` }
    case 'customer':
      return { column: sql`scope`, key: sql`case when scope <> '-' then substr(scope, 2) end` }
    case 'status':
      return { column: sql`status`, key: sql`status` }
  }
}

function scopeOf(sql: Runner, { groupBy, customer }: UsageQuery) {
  if (customer !== null) return sql`scope = ${`=${customer}`}`
  return groupBy === 'customer' ? sql`scope <> '*'` : sql`scope = '*'`
}

function finishedParts(sql: Runner, groupBy: UsageGroup) {
  if (groupBy !== 'status') {
    return sql`
      select scope, day, endpoint, null, succeeded + failed + aborted, succeeded, failed, spent,
        succeeded_source_bytes + failed_source_bytes, result_bytes
      from usage_days`
  }
  return sql`
    select scope, day, endpoint, part.* from usage_days, lateral (values
      ('succeeded', succeeded, succeeded, 0, spent, succeeded_source_bytes, result_bytes),
      ('failed', failed, 0, failed, 0, failed_source_bytes, 0),
      ('aborted', aborted, 0, 0, 0, 0, 0)
    ) as part`
}
