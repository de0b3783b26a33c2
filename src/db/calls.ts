import type { Tier } from '../domain/limits.ts'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'
import type { CallLeases } from './windows/call-leases.ts'
import { deleteWindowAhead, MINUTE_MS, returnUnused } from './windows/corrections.ts'

/** A call that has come in. It has the SHA-256 of its key in hex, and which request it wants to see, if one. */
export type IncomingCall = { hash: string; requestId: number | null }

/** The facts of a valid key's caller. */
export type CallerRow = {
  callerId: number
  keyLivemode: boolean
  name: string
  email: string
  tier: Tier
  balance: number
  held: number
  testAcceptedToday: number
  accountWebhookUrl: string | null
  requestsPerMinute: number | null
  concurrentRequests: number | null
  maxSourceBytes: number | null
  suspended: boolean
  accountCreatedAt: Date
  /** Whether a call with this key was let in before on this day, in UTC. */
  usedToday: boolean
  /** Calls a minute that the key may make, its account's own number first. */
  callsPerMinute: number
}

/** The count of a caller's calls in this minute. */
export type PaceRow = {
  /** Whether this call was let in and counted. */
  entered: boolean
  /** Calls in the last minute, this one included when it was let in. */
  used: number
  /** Milliseconds until the oldest call of the minute leaves it; `null` when there is none. */
  freeInMs: number | null
}

/** A call whose key is valid, and the request it wants to see. That is one of the caller's own account. */
export type EnteredCall = { caller: CallerRow; pace: PaceRow; request: RequestRow | undefined }

/** The calls a minute of keys by their kind. They hold where the account has no number of its own. */
export type PerMinute = { test: number; free: number; paid: number }

/**
 * `entered` counts the calls of the statement that were let in, the first ones, and those counted ahead. `until` is the time
 * that the last of the minute is counted at, in `lastsMs`.
 */
type Row = CallerRow &
  Omit<PaceRow, 'entered'> & { entered: number; until: number; lastsMs: number } & (RequestRow | { id: null })

/** Up to so many calls a minute each is kept by itself; of a larger limit, those of a quarter of a second leave together. */
const KEPT_SINGLY = 240
const TOGETHER_MS = 250

/**
 * Finds the keys of calls, counts the calls, and reads the requests they want. The calls of each key share one
 * statement. In the order of the calls; `undefined` for a key that is not valid.
 *
 * The window slides: a call is let in when fewer than `callsPerMinute` came within the 60 s before it. `at` holds when
 * calls came, `upto` how many had come by then; the first of both stands for all that are older than a minute. The
 * row is locked before it is judged, so calls of any number of processes see each other; a statement locks one, so no
 * two wait for each other. It looks at the clock before it waits for the row: its time is that of the last call where
 * that came later, so that the first of `at` is always older than a minute. Refused calls are not counted, nor those of
 * suspended accounts.
 */
export async function enterCalls(
  sql: Runner,
  calls: readonly IncomingCall[],
  perMinute: PerMinute,
  leases?: CallLeases,
): Promise<Array<EnteredCall | undefined>> {
  const entered = Array.from<EnteredCall | undefined>({ length: calls.length })
  const ofKeys = Map.groupBy(calls.entries(), ([, { hash }]) => hash)
  const enterings = [...ofKeys].map(async ([hash, same]) => {
    const wanted = same.map(([, { requestId }]) => requestId)
    const found = await enterKey(sql, { hash, wanted, perMinute }, leases)
    for (const [nth, [place]] of same.entries()) entered[place] = found?.[nth]
  })
  await Promise.all(enterings)
  return entered
}

/** Calls of one key that come together; `wanted` has an entry for each. */
type OfKey = { hash: string; wanted: ReadonlyArray<number | null>; perMinute: PerMinute }

/** Lets in as many calls of one key as its minute has room for: those of a lease without counting them once more. */
async function enterKey(sql: Runner, of: OfKey, leases?: CallLeases): Promise<EnteredCall[] | undefined> {
  const { hash, wanted } = of
  const taken = leases?.take(hash, wanted.length)
  if (taken !== undefined) {
    const rows = await readCaller(sql, of).catch((error: unknown) => {
      taken.putBack()
      throw error
    })
    const [caller] = rows
    if (caller !== undefined && !caller.suspended && caller.callsPerMinute === taken.limit) {
      return entriesOf(rows, wanted, (nth) => ({ entered: true, used: taken.used + nth + 1, freeInMs: taken.freeInMs }))
    }
    taken.putBack()
  }
  const unused = leases?.end(hash)
  if (unused !== undefined) await returnUnused(sql, unused)
  const ahead = leases?.ahead(hash, wanted.length) ?? 0
  const askedAt = leases?.now() ?? 0
  let rows = await countCalls(sql, of, ahead)
  while (await repairWindow(sql, hash, rows)) rows = await countCalls(sql, of, ahead)
  const [caller] = rows
  if (caller === undefined) return undefined
  const { used, lastsMs, until } = caller
  const room = Math.min(caller.entered, wanted.length)
  const more = caller.entered - room
  const freeInMs = caller.freeInMs === null ? null : Math.min(caller.freeInMs, MINUTE_MS)
  const lease = { left: more, used: used - more, limit: caller.callsPerMinute, freeInMs, lastsMs, askedAt }
  leases?.begin(hash, wanted.length, lease, { callerId: caller.callerId, livemode: caller.keyLivemode, until })
  return entriesOf(rows, wanted, (nth) => ({
    entered: nth < room,
    used: nth < room ? used - more - room + nth + 1 : used,
    freeInMs,
  }))
}

function entriesOf(
  rows: readonly Row[],
  wanted: ReadonlyArray<number | null>,
  paceOf: (nth: number) => PaceRow,
): EnteredCall[] | undefined {
  const [caller] = rows
  if (caller === undefined) return undefined
  const requests = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row]])))
  return wanted.map((requestId, nth) => ({
    caller,
    pace: paceOf(nth),
    request: requestId === null ? undefined : requests.get(requestId),
  }))
}

/** Puts right what the calls could not be counted in; whether they are to be counted again. */
async function repairWindow(sql: Runner, hash: string, [caller]: readonly Row[]): Promise<boolean> {
  // The first calls of all, or the first since the table lost its rows, which may be just after the window was opened.
  if (caller === undefined) return await openWindow(sql, hash)
  return (caller.freeInMs ?? 0) > MINUTE_MS + TOGETHER_MS && (await deleteWindowAhead(sql, caller))
}

/**
 * No row: the key is not valid, or has no window yet. One for each request that was found, else one.
 *
 * `ahead` calls more are counted, all or none, while that leaves half of the minute free and the limit is so large that the
 * calls of a quarter of a second leave together anyway: these are counted at its end.
 */
async function countCalls(sql: Runner, { hash, wanted, perMinute }: OfKey, ahead: number): Promise<Row[]> {
  // wall: calls of a suspended account in its minute
  const entry = sql`
    update call_windows w set (allowed, entered, at, upto) = (
      select calls, fits + more, case when fits = 0 then w.at else w.at[gone:kept] || till end,
        case when fits = 0 then w.upto else w.upto[gone:kept] || w.upto[size] + fits + more end
      from (
        select size, gone, fits, kept, more,
          case when more = 0 then stamp else stamp / ${TOGETHER_MS}::bigint * ${TOGETHER_MS}::bigint + ${TOGETHER_MS - 1}::bigint end as till
        from (
          select size, gone, stamp, fits, kept,
            case
              when calls > ${KEPT_SINGLY}::integer and w.upto[size] - w.upto[gone] + fits + ${ahead}::integer <= calls / 2 and fits > 0
              then ${ahead}::integer else 0
            end as more
          from (
            select size, gone, stamp,
              case when suspended then 0 else greatest(least(${wanted.length}::integer, calls - (w.upto[size] - w.upto[gone])), 0) end as fits,
              case
                when calls > ${KEPT_SINGLY}::integer and size > gone and stamp - w.at[size] / ${TOGETHER_MS}::bigint * ${TOGETHER_MS}::bigint < ${TOGETHER_MS}::bigint
                then size - 1 else size
              end as kept
            from (
              select size, stamp, width_bucket(stamp - 60000, w.at) as gone
              from (select cardinality(w.at) as size, greatest(now, w.at[cardinality(w.at)]) as stamp) latest
            ) minute
          ) fitting
        ) leasing
      ) counted
    )
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) clock, (${callerOf(sql, hash, perMinute)}) caller
    where w.account_id = caller.id and w.livemode = key_livemode
    returning ${CALLER(sql)}, w.entered,
      w.upto[cardinality(w.upto)] - w.upto[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at)] as used,
      w.at[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at) + 1] + 60000 - now as "freeInMs",
      w.at[cardinality(w.at)] as until, w.at[cardinality(w.at)] - now as "lastsMs", null::bigint as id`
  return await withRequests(sql, entry, wanted)
}

/** Finds the key's caller as `countCalls` does, and counts nothing. */
async function readCaller(sql: Runner, { hash, wanted, perMinute }: OfKey): Promise<Row[]> {
  const entry = sql`select ${CALLER(sql)}, null::bigint as id from (${callerOf(sql, hash, perMinute)}) caller`
  return await withRequests(sql, entry, wanted)
}

const callerOf = (sql: Runner, hash: string, perMinute: PerMinute) => sql`
  select a.*, k.livemode as key_livemode,
    coalesce(k.last_used_on = (now() at time zone 'utc')::date, false) as used_today, case
      when not k.livemode then ${perMinute.test}::integer
      else coalesce(a.requests_per_minute, case a.tier when 'paid' then ${perMinute.paid}::integer else ${perMinute.free}::integer end)
    end as calls
  from ${keyOf(sql, hash)}`

const CALLER = (sql: Runner) => sql`
  caller.id as "callerId", key_livemode as "keyLivemode", name, email, tier, balance, held,
  case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end as "testAcceptedToday",
  webhook_url as "accountWebhookUrl", requests_per_minute as "requestsPerMinute",
  concurrent_requests as "concurrentRequests", max_source_bytes as "maxSourceBytes", suspended,
  created_at as "accountCreatedAt", calls as "callsPerMinute", used_today as "usedToday"`

async function withRequests(
  sql: Runner,
  entry: ReturnType<typeof CALLER>,
  wanted: ReadonlyArray<number | null>,
): Promise<Row[]> {
  const ids = [...new Set(wanted.filter((id) => id !== null))]
  if (ids.length === 0) return await sql<Row[]>`${entry}`
  // wall: another account’s request beside a call
  return await sql<Row[]>`
    with entry as (${entry})
    select entry.*, ${requestColumns(sql)} from entry left join (
      unnest(${ids}::bigint[]) as wanted (request_id) cross join lateral (
        select * from requests where requests.id = wanted.request_id limit 1
      ) r
    ) on r.account_id = "callerId"`
}

// wall: a revoked key
const keyOf = (sql: Runner, hash: string) => sql`
  api_keys k join accounts a on a.id = k.account_id and k.hash = decode(${hash}, 'hex') and k.revoked_at is null`

/** Gives a key's caller the window it counts in, empty; `false` when the key is not valid. */
async function openWindow(sql: Runner, hash: string): Promise<boolean> {
  const callers = await sql`
    with caller as (
      select a.id, k.livemode from ${keyOf(sql, hash)}
    ), opened as (
      insert into call_windows (account_id, livemode, allowed, entered, at, upto)
      select id, livemode, 0, 0, array[0], array[0] from caller
      on conflict do nothing
    )
    select from caller`
  return callers.length > 0
}
