import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import type { FilterRow, Page } from './filter.ts'
import { listByKind } from './list-by-kind.ts'
import { listByPair } from './list-by-pair.ts'
import { within, word } from './words.ts'

const OPEN = ['queued', 'processing'] as const
const FINAL = ['succeeded', 'failed', 'aborted'] as const

/**
 * Lists an account's requests that pass a filter, newest first. They have an id below `before`.
 *
 * Each filter has an index of final requests in the order of their ids, and so have those of status, endpoint, mode and
 * customer together, so that no row is read in vain; open ones, which are few, are looked through. Of metadata and
 * something else the rarest leads, and the others are looked at row by row.
 */
export async function listFiltered(
  sql: Runner,
  accountId: number,
  { before, limit }: { before: number | null; limit: number },
  filter: FilterRow,
): Promise<RequestRow[]> {
  const page = { accountId, before: before ?? Number.MAX_SAFE_INTEGER, limit: Math.trunc(limit) }
  const { status, endpoint, customer, livemode, pairs = [] } = filter
  if (pairs.length > 0) return await listByPair(sql, page, filter)
  const kinds = [status, endpoint, customer, livemode].filter((one) => one !== undefined).length
  if (kinds > 1) return await listByKind(sql, page, filter)
  return await listByOne(sql, page, filter)
}

/** One filter, and times. */
async function listByOne(sql: Runner, page: Page, filter: FilterRow): Promise<RequestRow[]> {
  // In the statement itself: a plan for any number of rows would read and sort all that fit.
  const limit = sql.unsafe(String(page.limit))
  const { status, endpoint, customer, livemode } = filter
  // So are the words of closed lists: how rare one is decides which index is walked.
  // wall: another account’s requests in a filtered list
  const own = sql`r.account_id = ${page.accountId} and r.id < ${page.before}::bigint ${within(sql, page.accountId, filter)}
    ${status === undefined ? sql`` : sql`and r.status = ${word(sql, status)}`}
    ${endpoint === undefined ? sql`` : sql`and r.endpoint = ${word(sql, endpoint)}`}
    ${livemode === undefined ? sql`` : sql`and r.livemode = ${sql.unsafe(String(livemode))}`}
    ${customer === undefined ? sql`` : sql`and r.customer = ${customer}`}`
  if (status === undefined && livemode === undefined && endpoint === undefined && customer === undefined) {
    return await sql<RequestRow[]>`
      select ${requestColumns(sql)} from requests r where ${own} order by r.id desc limit ${limit}`
  }
  const isOpen = OPEN.some((one) => status === undefined || one === status)
  const isFinal = FINAL.some((one) => status === undefined || one === status)
  // In these words the index of open requests is found; nobody has many.
  const open = sql`(select * from requests r where r.status in ('queued', 'processing') and ${own})`
  // Each part is put in order by itself: of a union PostgreSQL would read all.
  const final = sql`(
    select * from requests r where r.completed_at is not null and ${own}
    order by r.id desc limit ${limit})`
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from (
      ${isOpen ? open : sql``} ${isOpen && isFinal ? sql`union all` : sql``} ${isFinal ? final : sql``}
    ) r
    order by r.id desc limit ${limit}`
}
