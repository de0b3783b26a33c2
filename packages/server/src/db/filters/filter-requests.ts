import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import { limitTo, ofCustomer, ofKind, within } from './conditions.ts'
import type { FilterRow, Page } from './filter.ts'
import { listByKind } from './list-by-kind.ts'
import { listByPair } from './list-by-pair.ts'

const OPEN = ['queued', 'processing'] as const
const FINAL = ['succeeded', 'failed', 'aborted'] as const

/**
 * Lists an account's requests that match a filter, newest first. With metadata and another filter, uses the index of
 * the filter with the fewest matches.
 */
export async function listFiltered(
  sql: Runner,
  accountId: number,
  { before, limit }: { before: number | null; limit: number },
  filter: FilterRow,
): Promise<RequestRow[]> {
  const page = { accountId, before: before ?? Number.MAX_SAFE_INTEGER, limit }
  const { status, endpoint, customer, livemode, pairs = [] } = filter
  if (pairs.length > 0) return await listByPair(sql, page, filter)
  const kinds = [status, endpoint, customer, livemode].filter((one) => one !== undefined).length
  if (kinds > 1) return await listByKind(sql, page, filter)
  return await listByOne(sql, page, filter)
}

async function listByOne(sql: Runner, page: Page, filter: FilterRow): Promise<RequestRow[]> {
  const limit = limitTo(sql, page.limit)
  const { status, endpoint, customer, livemode } = filter
  const own = sql`r.account_id = ${page.accountId} and r.id < ${page.before}::bigint ${within(sql, page.accountId, filter)}
    ${ofKind(sql, 'r', filter)} ${ofCustomer(sql, filter)}`
  if (status === undefined && livemode === undefined && endpoint === undefined && customer === undefined) {
    return await sql<RequestRow[]>`
      select ${requestColumns(sql)} from requests r where ${own} order by r.id desc ${limit}`
  }
  const isOpen = OPEN.some((one) => status === undefined || one === status)
  const isFinal = FINAL.some((one) => status === undefined || one === status)
  // Contains the condition of the partial index of open requests. Open requests are few.
  const open = sql`(select * from requests r where r.status in ('queued', 'processing') and ${own})`
  // Sorts and limits the finished requests first, because PostgreSQL would read all rows to sort the union.
  const final = sql`(
    select * from requests r where r.completed_at is not null and ${own}
    order by r.id desc ${limit})`
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from (
      ${isOpen ? open : sql``} ${isOpen && isFinal ? sql`union all` : sql``} ${isFinal ? final : sql``}
    ) r
    order by r.id desc ${limit}`
}
