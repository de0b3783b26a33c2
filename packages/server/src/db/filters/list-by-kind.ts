import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import { limitTo, ofCustomer, ofKind, within } from './conditions.ts'
import type { FilterRow, Page } from './filter.ts'

export async function listByKind(sql: Runner, page: Page, filter: FilterRow): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    ${kindsOf(sql, page, filter)}
    select ${requestColumns(sql)} from requests r
    where r.id = any(array(${idsOfKinds(sql, page, filter)} order by id desc ${limitTo(sql, page.limit)}))
    order by r.id desc`
}

/** Returns the CTE `kinds`: the combinations of mode, status, and endpoint that an account's finished requests have. */
export function kindsOf(sql: Runner, { accountId }: Page, filter: FilterRow) {
  const own = sql`r.account_id = ${accountId} and r.completed_at is not null ${ofCustomer(sql, filter)}`
  const first = sql`order by r.livemode, r.status, r.endpoint limit 1`
  return sql`
    with recursive kinds as (
      (select r.livemode, r.status, r.endpoint from requests r where ${own} ${first})
      union all
      select next.* from kinds cross join lateral (
        select r.livemode, r.status, r.endpoint from requests r
        where ${own} and (r.livemode, r.status, r.endpoint) > (kinds.livemode, kinds.status, kinds.endpoint) ${first}
      ) next
    )`
}

export function idsOfKinds(sql: Runner, page: Page, filter: FilterRow) {
  const own = sql`r.account_id = ${page.accountId} and r.id < ${page.before}::bigint
    ${within(sql, page.accountId, filter)} ${ofCustomer(sql, filter)}`
  return sql`
    select id from (
      select one.id from kinds cross join lateral (
        select r.id from requests r
        where ${own} and r.completed_at is not null
          and r.livemode = kinds.livemode and r.status = kinds.status and r.endpoint = kinds.endpoint
        order by r.id desc ${limitTo(sql, page.limit)}
      ) one
      where true ${ofKind(sql, 'kinds', filter)}
      union all
      select r.id from requests r where r.status in ('queued', 'processing') and ${own} ${ofKind(sql, 'r', filter)}
    ) ids`
}
