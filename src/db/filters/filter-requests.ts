import type { RequestStatus } from '../domain/request.ts'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

/** The properties that requests must have; a missing one may be anything. */
export type FilterRow = {
  status?: RequestStatus | undefined
  endpoint?: string | undefined
  customer?: string | undefined
  livemode?: boolean | undefined
  createdFrom?: Date | undefined
  /** Not this moment itself. */
  createdBefore?: Date | undefined
  /** Digests of metadata (`request_metadata`). */
  pairs?: readonly number[]
}

const OPEN = ['queued', 'processing'] as const
const FINAL = ['succeeded', 'failed', 'aborted'] as const

/**
 * How far times may lie off the order of numbers: a row bears the time at which its statement began, and its number when
 * it had waited for its account; a statement ends within half a minute.
 */
const DISORDER = '1 minute'

/**
 * Lists an account's requests that pass a filter, newest first. They have an id below `before`.
 *
 * Each filter has an index of final requests in the order of their ids, so that no row is read in vain; open ones, which
 * are few, are looked through. Of several filters one leads, and the others are looked at row by row.
 */
export async function listFiltered(
  sql: Runner,
  accountId: number,
  page: { before: number | null; limit: number },
  filter: FilterRow,
): Promise<RequestRow[]> {
  const before = page.before ?? Number.MAX_SAFE_INTEGER
  // In the statement itself: a plan for any number of rows would read and sort all that fit.
  const limit = sql.unsafe(String(Math.trunc(page.limit)))
  const { status, endpoint, customer, livemode, createdFrom, createdBefore, pairs = [] } = filter
  const [pair] = pairs
  // So are the words of closed lists: how rare one is decides which index is walked.
  const word = (text: string) => {
    if (!/^[a-z]+(\/[a-z]+)?$/.test(text)) throw new RangeError('no status and no endpoint')
    return sql.unsafe(`'${text}'`)
  }
  // wall: another account’s requests in a filtered list
  const own = sql`r.account_id = ${accountId} and r.id < ${before}::bigint ${within(sql, accountId, createdFrom, createdBefore)}
    ${endpoint === undefined ? sql`` : sql`and r.endpoint = ${word(endpoint)}`}
    ${customer === undefined ? sql`` : sql`and r.customer = ${customer}`}`
  const tags = pairs.map(
    (each) => sql`and exists (
      select from request_metadata m where m.account_id = ${accountId} and m.pair = ${each}::bigint and m.request_id = r.id)`,
  )
  const tagged = tags.reduce((all, one) => sql`${all} ${one}`, sql``)
  const ofStatus = status === undefined ? sql`` : sql`and r.status = ${word(status)}`
  const ofMode = livemode === undefined ? sql`` : sql`and r.livemode = ${sql.unsafe(String(livemode))}`
  const isAlone = [status, endpoint, customer, livemode, createdFrom, createdBefore].every((one) => one === undefined)
  if (pair !== undefined && pairs.length === 1 && isAlone) {
    // All at once: one by one each would be a way through the index of its own.
    return await sql<RequestRow[]>`
      select ${requestColumns(sql)} from requests r
      where r.account_id = ${accountId} and r.id = any(array(
        select m.request_id from request_metadata m
        where m.account_id = ${accountId} and m.pair = ${pair}::bigint and m.request_id < ${before}::bigint
        order by m.request_id desc limit ${limit}))
      order by r.id desc`
  }
  if (pair !== undefined) {
    const others = pairs.length > 1 ? tagged : sql``
    return await sql<RequestRow[]>`
      select ${requestColumns(sql)} from request_metadata lead
        cross join lateral (select * from requests where requests.id = lead.request_id limit 1) r
      where lead.account_id = ${accountId} and lead.pair = ${pair}::bigint and lead.request_id < ${before}::bigint
        and ${own} ${ofStatus} ${ofMode} ${others}
      order by lead.request_id desc limit ${limit}`
  }
  if (status === undefined && livemode === undefined && endpoint === undefined && customer === undefined) {
    return await sql<RequestRow[]>`
      select ${requestColumns(sql)} from requests r where ${own} order by r.id desc limit ${limit}`
  }
  const isOpen = OPEN.some((one) => status === undefined || one === status)
  const isFinal = FINAL.some((one) => status === undefined || one === status)
  // In these words the index of open requests is found; nobody has many.
  const open = sql`(select * from requests r where r.status in ('queued', 'processing') and ${own} ${ofStatus} ${ofMode})`
  // Each part is put in order by itself: of a union PostgreSQL would read all.
  const final = sql`(
    select * from requests r where r.completed_at is not null and ${own} ${ofStatus} ${ofMode}
    order by r.id desc limit ${limit})`
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from (
      ${isOpen ? open : sql``} ${isOpen && isFinal ? sql`union all` : sql``} ${isFinal ? final : sql``}
    ) r
    order by r.id desc limit ${limit}`
}

/** Between two times: the ids that lie about them bound what is read, and the times themselves decide. */
function within(sql: Runner, accountId: number, from: Date | undefined, before: Date | undefined) {
  const final = sql`select f.id from requests f where f.account_id = ${accountId} and f.completed_at is not null`
  const lower =
    from === undefined
      ? sql``
      : sql`and r.created_at >= ${from} and r.id > coalesce((${final}
          and f.created_at < ${from}::timestamptz - ${DISORDER}::interval order by f.created_at desc limit 1), 0)`
  const upper =
    before === undefined
      ? sql``
      : sql`and r.created_at < ${before} and r.id < coalesce((${final}
          and f.created_at > ${before}::timestamptz + ${DISORDER}::interval order by f.created_at limit 1), ${Number.MAX_SAFE_INTEGER}::bigint)`
  return sql`${lower} ${upper}`
}
