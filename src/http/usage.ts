import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { UsageGroup, UsageRow } from '../accounts/usage.ts'
import { MAX_USAGE_DAYS, USAGE_GROUPS, usageOf } from '../accounts/usage.ts'
import { microUsd, toDollars } from '../domain/money.ts'
import { validationFailed } from '../endpoints/validation.ts'
import type { Door } from './door.ts'
import type { QueryValue } from './query.ts'
import { invalidQuery, textQuery, validQuery } from './query.ts'

const DAY_MS = 86_400_000

/** Days before today that are shown when no `from` is given (Spec 4.4). */
const DEFAULT_DAYS_BACK = 29

/** As in a request (Spec 4.1). */
const MAX_CUSTOMER_LENGTH = 64

/** Spec 4.4: what the requests of the key's mode came to. */
export function serveUsage(app: FastifyInstance, door: Door): void {
  app.get('/v1/usage', async (call) => {
    const { from, to, groupBy, customer } = readQuery(call, new Date())
    const { account, livemode } = call.caller
    const rows = await usageOf(door.sql, { accountId: account.id, livemode, from, to, groupBy, customer })
    return { object: 'usage', from, to, group_by: groupBy, data: rows.map((row) => presentRow(groupBy, row)) }
  })
}

type Query = { from: string; to: string; groupBy: UsageGroup; customer: string | null }

function readQuery(call: FastifyRequest, now: Date): Query {
  const today = dateOf(now.getTime())
  const read = validQuery({
    from: dateQuery(call, 'from'),
    to: dateQuery(call, 'to'),
    groupBy: groupQuery(call),
    customer: customerQuery(call),
  })
  const from = read.from ?? dateOf(Date.parse(today) - DEFAULT_DAYS_BACK * DAY_MS)
  const to = read.to ?? today
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  const refused = (what: string) =>
    validationFailed([{ param: 'from', code: 'out_of_range', message: `from ${what}.` }])
  if (days < 1) throw refused(`must not be after to; the range would go from ${from} to ${to}`)
  if (days > MAX_USAGE_DAYS) throw refused(`and to may cover at most ${MAX_USAGE_DAYS} days, both included`)
  return { from, to, groupBy: read.groupBy, customer: read.customer }
}

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** A calendar date. Its shape is judged here: PostgreSQL would take `infinity`, `now` or `2026-1-1` as well. */
function dateQuery(call: FastifyRequest, name: string): QueryValue<string | undefined> {
  const text = textQuery(call, name)
  if (text === undefined) return { value: undefined }
  const time = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time) && dateOf(time) === text) return { value: text }
  return invalidQuery(name, 'invalid_value', 'must be a date such as 2026-11-21')
}

function groupQuery(call: FastifyRequest): QueryValue<UsageGroup> {
  const text = textQuery(call, 'group_by') ?? 'day'
  const group = USAGE_GROUPS.find((name) => name === text)
  if (group !== undefined) return { value: group }
  return invalidQuery('group_by', 'invalid_value', `must be one of ${USAGE_GROUPS.join(', ')}`)
}

function customerQuery(call: FastifyRequest): QueryValue<string | null> {
  const text = textQuery(call, 'customer')
  if (text === undefined) return { value: null }
  if (text.includes('\u0000')) return invalidQuery('customer', 'invalid_value', 'must not contain NUL')
  if (Array.from(text).length <= MAX_CUSTOMER_LENGTH) return { value: text }
  return invalidQuery('customer', 'too_long', `must have at most ${MAX_CUSTOMER_LENGTH} characters`)
}

/** A row of Spec 2.6, keyed by the word it is grouped by. */
function presentRow(groupBy: UsageGroup, row: UsageRow): object {
  return {
    [groupBy]: row.key,
    requests: row.requests,
    succeeded: row.succeeded,
    failed: row.failed,
    spent: toDollars(microUsd(row.spent)),
    spent_micro_usd: row.spent,
    source_bytes: row.sourceBytes,
    result_bytes: row.resultBytes,
  }
}
