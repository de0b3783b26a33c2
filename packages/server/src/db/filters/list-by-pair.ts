import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import { idsWithin, limitTo, ofCustomer, ofKind, timesWithin } from './conditions.ts'
import type { FilterRow, Page } from './filter.ts'
import { idsOfKinds, kindsOf } from './list-by-kind.ts'

/** Matches are counted up to this number. A filter with more matches is not rare. */
const RARE = 20_000

export async function listByPair(sql: Runner, page: Page, filter: FilterRow): Promise<RequestRow[]> {
  const { pairs = [], status, endpoint, customer, livemode, createdFrom, createdBefore } = filter
  const isOfKind = [status, endpoint, customer, livemode].some((one) => one !== undefined)
  const isTimed = createdFrom !== undefined || createdBefore !== undefined
  const [only = 0, ...more] = pairs
  if (more.length === 0 && !isOfKind && !isTimed) return await listByOnePair(sql, page, only)
  const counts = more.length === 0 && !isOfKind ? [0] : await countEach(sql, page, filter, isOfKind)
  const rarest = counts.indexOf(Math.min(...counts))
  const lead = pairs[rarest]
  if (lead === undefined) return await listByRareKind(sql, page, filter)
  return await listByLead(sql, page, filter, lead)
}

async function countEach(sql: Runner, page: Page, filter: FilterRow, isOfKind: boolean): Promise<number[]> {
  const ofPair = (pair: number) => sql`(select count(*) from (
    select from request_metadata lead
    where lead.account_id = ${page.accountId} and lead.pair = ${pair}::bigint and lead.request_id < ${page.before}::bigint
      ${idsWithin(sql, page.accountId, filter, 'lead.request_id')}
    limit ${RARE}::integer) counted)`
  const ofKind = sql`(select count(*) from (${idsOfKinds(sql, { ...page, limit: RARE }, filter)} limit ${RARE}::integer) counted)`
  const each = [...(filter.pairs ?? []).map(ofPair), ...(isOfKind ? [ofKind] : [])]
  const [row] = await sql<{ counts: number[] }[]>`
    ${isOfKind ? kindsOf(sql, page, filter) : sql``}
    select array[${each.reduce((all, one) => sql`${all}, ${one}`)}] as counts`
  return row?.counts ?? [0]
}

async function listByOnePair(sql: Runner, page: Page, pair: number): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r
    where r.account_id = ${page.accountId} and r.id = any(array(
      select m.request_id from request_metadata m
      where m.account_id = ${page.accountId} and m.pair = ${pair}::bigint and m.request_id < ${page.before}::bigint
      order by m.request_id desc ${limitTo(sql, page.limit)}))
    order by r.id desc`
}

async function listByLead(sql: Runner, page: Page, filter: FilterRow, lead: number): Promise<RequestRow[]> {
  const { pairs = [] } = filter
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from request_metadata lead
      cross join lateral (select * from requests where requests.id = lead.request_id limit 1) r
    where lead.account_id = ${page.accountId} and lead.pair = ${lead}::bigint and lead.request_id < ${page.before}::bigint
      ${idsWithin(sql, page.accountId, filter, 'lead.request_id')}
      ${timesWithin(sql, filter)} ${ofKind(sql, 'r', filter)} ${ofCustomer(sql, filter)}
      ${havePairs(
        sql,
        page,
        pairs.filter((pair) => pair !== lead),
        'lead.request_id',
      )}
    order by lead.request_id desc ${limitTo(sql, page.limit)}`
}

/** Lists requests whose other filters match few rows. Compares metadata in an index before it reads rows. */
async function listByRareKind(sql: Runner, page: Page, filter: FilterRow): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    ${kindsOf(sql, page, filter)}
    select ${requestColumns(sql)} from requests r
    where r.id = any(array(
      select id from (${idsOfKinds(sql, { ...page, limit: RARE }, filter)} offset 0) rare
      where true ${havePairs(sql, page, filter.pairs ?? [], 'rare.id')}
      order by id desc ${limitTo(sql, page.limit)}))
    order by r.id desc`
}

function havePairs(sql: Runner, { accountId }: Page, pairs: readonly number[], id: 'lead.request_id' | 'rare.id') {
  return pairs.reduce(
    // Looks up each pair of a request. With a join, a generic plan would read all requests that have the pair.
    (all, pair) => sql`${all} and (select true from request_metadata m
      where m.account_id = ${accountId} and m.pair = ${pair}::bigint and m.request_id = ${sql.unsafe(id)} limit 1)`,
    sql``,
  )
}
