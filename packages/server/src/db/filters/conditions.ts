import type { Runner } from '../connection/connect.ts'
import type { FilterRow } from './filter.ts'

/** If two requests were created at least this far apart, the later request has the higher id. */
const DISORDER = '1 minute'

/** Returns a status or an endpoint as an SQL literal. Throws for any other text. */
export function literal(sql: Runner, text: string) {
  if (!/^[a-z]+(\/[a-z]+)?$/.test(text)) throw new RangeError('not a status or an endpoint')
  return sql.unsafe(`'${text}'`)
}

/** Returns `limit` with a literal. With a parameter, the generic plan would read and sort all matching rows. */
export const limitTo = (sql: Runner, rows: number) => sql.unsafe(`limit ${Math.trunc(rows)}`)

/** Selects a kind of requests. Uses literals, because the planner chooses the index by how often a value occurs. */
export function ofKind(sql: Runner, row: 'r' | 'kinds', { status, endpoint, livemode }: FilterRow) {
  const column = (name: string) => sql.unsafe(`${row}.${name}`)
  return sql`${status === undefined ? sql`` : sql`and ${column('status')} = ${literal(sql, status)}`}
    ${endpoint === undefined ? sql`` : sql`and ${column('endpoint')} = ${literal(sql, endpoint)}`}
    ${livemode === undefined ? sql`` : sql`and ${column('livemode')} = ${sql.unsafe(String(livemode))}`}`
}

/** Selects a customer's requests. PostgreSQL uses the partial index of customers only with this condition. */
export const ofCustomer = (sql: Runner, { customer }: FilterRow) =>
  customer === undefined ? sql`` : sql`and r.customer = ${customer}`

/** Selects by creation time. Also limits the ids, which increase with time, so that PostgreSQL reads fewer rows. */
export function within(sql: Runner, accountId: number, filter: FilterRow) {
  return sql`${timesWithin(sql, filter)} ${idsWithin(sql, accountId, filter, 'r.id')}`
}

export function timesWithin(sql: Runner, { createdFrom, createdBefore }: FilterRow) {
  const lower = createdFrom === undefined ? sql`` : sql`and r.created_at >= ${createdFrom}`
  const upper = createdBefore === undefined ? sql`` : sql`and r.created_at < ${createdBefore}`
  return sql`${lower} ${upper}`
}

export function idsWithin(sql: Runner, accountId: number, filter: FilterRow, column: 'r.id' | 'lead.request_id') {
  const { createdFrom, createdBefore } = filter
  const id = sql.unsafe(column)
  const final = sql`select f.id from requests f where f.account_id = ${accountId} and f.completed_at is not null`
  const lower =
    createdFrom === undefined
      ? sql``
      : sql`and ${id} > coalesce((${final}
          and f.created_at < ${createdFrom}::timestamptz - ${DISORDER}::interval order by f.created_at desc limit 1), 0)`
  const upper =
    createdBefore === undefined
      ? sql``
      : sql`and ${id} < coalesce((${final}
          and f.created_at > ${createdBefore}::timestamptz + ${DISORDER}::interval order by f.created_at limit 1),
            ${Number.MAX_SAFE_INTEGER}::bigint)`
  return sql`${lower} ${upper}`
}
