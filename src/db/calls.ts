import type { Tier } from '../domain/limits.ts'
import type { Runner } from './connect.ts'
import { type RequestRow, requestColumns } from './requests.ts'

/** A call that has come in: the SHA-256 of its key in hex, and which request it wants to see, if one. */
export type IncomingCall = { hash: string; requestId: number | null }

/** What a valid key says about its caller. */
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
  /** Calls a minute that the key may make, its account's own number first. */
  callsPerMinute: number
}

/** Where a call stands in its caller's minute. */
export type PaceRow = {
  /** Whether this call was let in and counted. */
  entered: boolean
  /** Calls in the last minute, this one included when it was let in. */
  used: number
  /** Milliseconds until the oldest call of the minute leaves it; `null` when there is none. */
  freeInMs: number | null
}

/** A call whose key is valid, and the request it wants to see: one of the caller's own account. */
export type EnteredCall = { caller: CallerRow; pace: PaceRow; request: RequestRow | undefined }

/** `entered` counts the caller's calls of this statement that were let in: the first ones. */
type Row = CallerRow & Omit<PaceRow, 'entered'> & { place: number; entered: number } & (RequestRow | { id: null })

/** Up to so many calls a minute each is kept by itself; of a larger limit, those of a quarter of a second leave together. */
const KEPT_SINGLY = 240
const TOGETHER_MS = 250

/**
 * Finds the keys of calls, counts the calls, and reads the requests they want to see: one statement, one round trip. In
 * the order of the calls; `undefined` for a key that is not valid.
 *
 * The window slides: a call is let in when fewer than `callsPerMinute` came within the 60 s before it. `at` holds when
 * calls came, `upto` how many had come by then; the first of both stands for all that are older than a minute. The
 * conflict clause locks the row first, so calls of any number of processes see each other, and always in the same
 * order, so that no two statements wait for each other. Refused calls are not counted, nor those of suspended accounts.
 */
export async function enterCalls(
  sql: Runner,
  calls: readonly IncomingCall[],
  perMinute: { test: number; free: number; paid: number },
): Promise<Array<EnteredCall | undefined>> {
  const rows = await sql<Row[]>`
    with clock as (
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now
    ), caller as materialized (
      select call.place, call.request_id, k.livemode as key_livemode, a.*, case
          when not k.livemode then ${perMinute.test}::integer
          else coalesce(a.requests_per_minute, case a.tier when 'paid' then ${perMinute.paid}::integer else ${perMinute.free}::integer end)
        end as allowed
      from unnest(${calls.map(({ hash }) => hash)}::text[], ${calls.map(({ requestId }) => requestId)}::bigint[])
          with ordinality as call (hash, request_id, place)
        join api_keys k on k.hash = decode(call.hash, 'hex') and k.revoked_at is null
        join accounts a on a.id = k.account_id
    ), entry as (
      insert into call_windows as w (account_id, livemode, allowed, entered, at, upto)
      select id, key_livemode, allowed, least(count(*), allowed), array[0, now], array[0, least(count(*), allowed)]
      from caller, clock where not suspended
      group by id, key_livemode, allowed, now
      order by id, key_livemode
      on conflict (account_id, livemode) do update set (allowed, entered, at, upto) = (
        select excluded.allowed, fits, w.at[gone:kept] || stamp, w.upto[gone:kept] || w.upto[size] + fits
        from ${minuteOf(sql)}, lateral (
          select least(excluded.entered, excluded.allowed - used) as fits, case
              when excluded.allowed > ${KEPT_SINGLY}::integer and size > gone and stamp - w.at[size] / ${TOGETHER_MS}::bigint * ${TOGETHER_MS}::bigint < ${TOGETHER_MS}::bigint
              then size - 1 else size
            end as kept
        ) fitting
      )
      where excluded.allowed > (select used from ${minuteOf(sql)})
      returning account_id, livemode, entered, at, upto
    ), paced as (
      select caller.*, now, coalesce(entry.entered, 0) as entered, coalesce(entry.at, w.at) as at,
        coalesce(entry.upto, w.upto) as upto, width_bucket(now - 60000, coalesce(entry.at, w.at)) as gone
      from caller cross join clock
        left join entry on entry.account_id = caller.id and entry.livemode = key_livemode
        left join lateral (
          select at, upto from call_windows w where w.account_id = caller.id and w.livemode = key_livemode limit 1
        ) w on true
    )
    select place, p.id as "callerId", key_livemode as "keyLivemode", name, email, tier, balance, held,
      case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end as "testAcceptedToday",
      p.webhook_url as "accountWebhookUrl", requests_per_minute as "requestsPerMinute",
      concurrent_requests as "concurrentRequests", max_source_bytes as "maxSourceBytes", suspended,
      p.created_at as "accountCreatedAt", allowed as "callsPerMinute", entered,
      coalesce(upto[cardinality(upto)] - upto[gone], 0) as used, at[gone + 1] + 60000 - now as "freeInMs",
      ${requestColumns(sql)}
    from paced p left join lateral (
      select * from requests where requests.id = p.request_id and requests.account_id = p.id limit 1
    ) r on true
    order by place`
  return inOrder(calls.length, rows)
}

/** The minute of a window row `w` as of `excluded`: entries that have left it, the calls in it, when the next one comes. */
const minuteOf = (sql: Runner) => sql`(
  select size, gone, w.upto[size] - w.upto[gone] as used, greatest(excluded.at[2], w.at[size]) as stamp
  from (select cardinality(w.at) as size, width_bucket(excluded.at[2] - 60000, w.at) as gone) found
) minute`

/** Shares what was let in among the calls of each caller: first come, first served. */
function inOrder(count: number, rows: readonly Row[]): Array<EnteredCall | undefined> {
  const calls = Array.from<EnteredCall | undefined>({ length: count })
  const seen = new Map<string, number>()
  for (const row of rows) {
    const caller = `${row.callerId} ${row.keyLivemode}`
    const nth = (seen.get(caller) ?? 0) + 1
    seen.set(caller, nth)
    const entered = nth <= row.entered
    calls[row.place - 1] = {
      caller: row,
      pace: { entered, used: entered ? row.used - row.entered + nth : row.used, freeInMs: row.freeInMs },
      request: row.id === null ? undefined : row,
    }
  }
  return calls
}
