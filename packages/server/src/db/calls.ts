import type { Tier } from '@mediamill/contract/domain/limits'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

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

/** `entered` counts the calls of the statement that were let in: the first ones. */
type Row = CallerRow & Omit<PaceRow, 'entered'> & { entered: number } & (RequestRow | { id: null })

const MINUTE_MS = 60_000

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
): Promise<Array<EnteredCall | undefined>> {
  const entered = Array.from<EnteredCall | undefined>({ length: calls.length })
  const ofKeys = Map.groupBy(calls.entries(), ([, { hash }]) => hash)
  const enterings = [...ofKeys].map(async ([hash, same]) => {
    const wanted = same.map(([, { requestId }]) => requestId)
    const found = await enterKey(sql, hash, wanted, perMinute)
    for (const [nth, [place]] of same.entries()) entered[place] = found?.[nth]
  })
  await Promise.all(enterings)
  return entered
}

/** Lets in as many calls of one key as its minute has room for; `wanted` has an entry for each. */
async function enterKey(
  sql: Runner,
  hash: string,
  wanted: ReadonlyArray<number | null>,
  perMinute: PerMinute,
): Promise<EnteredCall[] | undefined> {
  let rows = await countCalls(sql, hash, wanted, perMinute)
  while (await repairWindow(sql, hash, rows)) rows = await countCalls(sql, hash, wanted, perMinute)
  const [caller] = rows
  if (caller === undefined) return undefined
  const requests = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row]])))
  const { entered: room, used, freeInMs } = caller
  return wanted.map((requestId, nth) => {
    const entered = nth < room
    const pace = { entered, used: entered ? used - room + nth + 1 : used, freeInMs }
    return { caller, pace, request: requestId === null ? undefined : requests.get(requestId) }
  })
}

/** Puts right what the calls could not be counted in; whether they are to be counted again. */
async function repairWindow(sql: Runner, hash: string, [caller]: readonly Row[]): Promise<boolean> {
  // The first calls of all, or the first since the table lost its rows, which may be just after the window was opened.
  if (caller === undefined) return await openWindow(sql, hash)
  return (caller.freeInMs ?? 0) > MINUTE_MS && (await deleteWindowAhead(sql, caller))
}

/** No row: the key is not valid, or has no window yet. One for each request that was found, else one. */
async function countCalls(
  sql: Runner,
  hash: string,
  wanted: ReadonlyArray<number | null>,
  perMinute: PerMinute,
): Promise<Row[]> {
  // wall: calls of a suspended account in its minute
  const entry = sql`
    update call_windows w set (allowed, entered, at, upto) = (
      select calls, fits, case when fits = 0 then w.at else w.at[gone:kept] || stamp end,
        case when fits = 0 then w.upto else w.upto[gone:kept] || w.upto[size] + fits end
      from (
        select size, gone, stamp,
          case when suspended then 0 else greatest(least(${wanted.length}::integer, calls - (w.upto[size] - w.upto[gone])), 0) end as fits,
          case
            when calls > ${KEPT_SINGLY}::integer and size > gone and stamp - w.at[size] / ${TOGETHER_MS}::bigint * ${TOGETHER_MS}::bigint < ${TOGETHER_MS}::bigint
            then size - 1 else size
          end as kept
        from (
          select size, stamp, width_bucket(stamp - 60000, w.at) as gone
          from (select cardinality(w.at) as size, greatest(now, w.at[cardinality(w.at)]) as stamp offset 0) latest
          offset 0
        ) minute
        offset 0
      ) fitting
    )
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) clock, (
      select a.*, k.livemode as key_livemode,
        coalesce(k.last_used_on = (now() at time zone 'utc')::date, false) as used_today, case
          when not k.livemode then ${perMinute.test}::integer
          else coalesce(a.requests_per_minute, case a.tier when 'paid' then ${perMinute.paid}::integer else ${perMinute.free}::integer end)
        end as calls
      from ${keyOf(sql, hash)}
    ) caller
    where w.account_id = caller.id and w.livemode = key_livemode
    returning caller.id as "callerId", key_livemode as "keyLivemode", name, email, tier, balance, held,
      case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end as "testAcceptedToday",
      webhook_url as "accountWebhookUrl", requests_per_minute as "requestsPerMinute",
      concurrent_requests as "concurrentRequests", max_source_bytes as "maxSourceBytes", suspended,
      created_at as "accountCreatedAt", calls as "callsPerMinute", used_today as "usedToday", w.entered,
      w.upto[cardinality(w.upto)] - w.upto[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at)] as used,
      w.at[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at) + 1] + 60000 - now as "freeInMs", null::bigint as id`
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

/** Forgets a minute that lies ahead: it was counted before the machine's clock was set back. */
async function deleteWindowAhead(sql: Runner, { callerId, keyLivemode }: CallerRow): Promise<boolean> {
  const deleted = await sql`
    delete from call_windows where account_id = ${callerId} and livemode = ${keyLivemode}
      and at[cardinality(at)] > (extract(epoch from clock_timestamp()) * 1000)::bigint + ${MINUTE_MS}::bigint`
  return deleted.count > 0
}
