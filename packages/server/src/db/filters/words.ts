import type { Runner } from '../connection/connect.ts'
import type { FilterRow } from './filter.ts'

/**
 * How far times may lie off the order of numbers: a row bears the time at which its statement began, and its number when
 * it had waited for its account; a statement ends within half a minute.
 */
const DISORDER = '1 minute'

/** A word of a closed list as a part of the statement itself. */
export function word(sql: Runner, text: string) {
  if (!/^[a-z]+(\/[a-z]+)?$/.test(text)) throw new RangeError('no status and no endpoint')
  return sql.unsafe(`'${text}'`)
}

/** Keeps requests between two times. The ids that lie about them bound what is read; the times themselves decide. */
export function within(sql: Runner, accountId: number, filter: FilterRow) {
  return sql`${timesWithin(sql, filter)} ${idsWithin(sql, accountId, filter, 'r.id')}`
}

/** The times alone, row by row. */
export function timesWithin(sql: Runner, { createdFrom, createdBefore }: FilterRow) {
  const lower = createdFrom === undefined ? sql`` : sql`and r.created_at >= ${createdFrom}`
  const upper = createdBefore === undefined ? sql`` : sql`and r.created_at < ${createdBefore}`
  return sql`${lower} ${upper}`
}

/** The bounds of ids alone. They hold all between the times, and some about them. */
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
