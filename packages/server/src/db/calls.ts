import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import type { Tier } from '@mediamill/contract/domain/limits'
import type { Runner } from './connection/connect.ts'
import { testAcceptedToday, today } from './today.ts'

type CallerRow = {
  callerId: number
  keyLivemode: boolean
  callerKeyId: number
  restrictions: KeyRestrictions | null
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
  usedToday: boolean
  callsPerMinute: number
}

type RateLimitRow = {
  entered: boolean
  used: number
  freeInMs: number | null
  /** The time of the call's entry in `call_windows`, in milliseconds. */
  enteredAt: number
}

/** A call that `enterCalls` has admitted. */
export type CountedCall = { accountId: number; livemode: boolean; enteredAt: number }

export type EnteredCall = { caller: CallerRow; pace: RateLimitRow }

type PerMinute = { test: number; free: number; paid: number }

/** The row that `countCalls` reads. The first `entered` calls are admitted, and the other calls are rejected. */
type Row = CallerRow & Omit<RateLimitRow, 'entered'> & { entered: number }

const MINUTE_MS = 60_000

/** Up to this rate limit, each call gets its own entry. Above it, calls within `TOGETHER_MS` share an entry. */
const KEPT_SINGLY = 240
const TOGETHER_MS = 250

/**
 * Counts API calls against the rate limits. Each call is given as the hash of its key. The result of a call with an
 * invalid key is `undefined`. Admits a call if fewer than `callsPerMinute` were admitted in the last 60 s. In
 * `call_windows`, `upto[n]` is the number of calls admitted until the time `at[n]`. The newest entry that is older than
 * 60 s is kept, because its total includes the calls of all deleted entries.
 */
export async function enterCalls(
  sql: Runner,
  hashes: readonly string[],
  perMinute: PerMinute,
): Promise<Array<EnteredCall | undefined>> {
  const entered = Array.from<EnteredCall | undefined>({ length: hashes.length })
  const ofKeys = Map.groupBy(hashes.entries(), ([, hash]) => hash)
  const enterings = [...ofKeys].map(async ([hash, same]) => {
    const found = await enterKey(sql, hash, same.length, perMinute)
    for (const [nth, [index]] of same.entries()) entered[index] = found?.[nth]
  })
  await Promise.all(enterings)
  return entered
}

async function enterKey(
  sql: Runner,
  hash: string,
  count: number,
  perMinute: PerMinute,
): Promise<EnteredCall[] | undefined> {
  let caller = await countCalls(sql, hash, count, perMinute)
  while (await repairWindow(sql, hash, caller)) caller = await countCalls(sql, hash, count, perMinute)
  if (caller === undefined) return undefined
  const { entered: room, used, freeInMs, enteredAt } = caller
  return Array.from({ length: count }, (_, nth) => {
    const entered = nth < room
    return { caller, pace: { entered, used: entered ? used - room + nth + 1 : used, freeInMs, enteredAt } }
  })
}

async function repairWindow(sql: Runner, hash: string, caller: Row | undefined): Promise<boolean> {
  // This is the first call, or a crash has emptied the table `call_windows`.
  if (caller === undefined) return await openWindow(sql, hash)
  return (caller.freeInMs ?? 0) > MINUTE_MS && (await deleteWindowAhead(sql, caller))
}

/** Counts the calls of a key. Returns `undefined` if the key or its row in `call_windows` is missing. */
async function countCalls(sql: Runner, hash: string, count: number, perMinute: PerMinute): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    update call_windows w set (allowed, entered, at, upto) = (
      select calls, fits, case when fits = 0 then w.at else w.at[gone:kept] || stamp end,
        case when fits = 0 then w.upto else w.upto[gone:kept] || w.upto[size] + fits end
      from (
        select size, gone, stamp,
          case when suspended then 0 else greatest(least(${count}::integer, calls - (w.upto[size] - w.upto[gone])), 0) end as fits,
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
      select a.*, k.id as key_id, k.restrictions, k.livemode as key_livemode,
        coalesce(k.last_used_on = ${today(sql)}, false) as used_today, case
          when not k.livemode then ${perMinute.test}::integer
          else coalesce(a.requests_per_minute, case a.tier when 'paid' then ${perMinute.paid}::integer else ${perMinute.free}::integer end)
        end as calls
      from ${keyOf(sql, hash)}
    ) caller
    where w.account_id = caller.id and w.livemode = key_livemode
    returning caller.id as "callerId", key_livemode as "keyLivemode", key_id as "callerKeyId", restrictions, name, email, tier, balance, held,
      ${testAcceptedToday(sql)} as "testAcceptedToday",
      webhook_url as "accountWebhookUrl", requests_per_minute as "requestsPerMinute",
      concurrent_requests as "concurrentRequests", max_source_bytes as "maxSourceBytes", suspended,
      created_at as "accountCreatedAt", calls as "callsPerMinute", used_today as "usedToday", w.entered,
      ${paceColumns(sql)}, w.at[cardinality(w.at)] as "enteredAt"`
  return row
}

const paceColumns = (sql: Runner) => sql`
  w.upto[cardinality(w.upto)] - w.upto[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at)] as used,
  w.at[width_bucket(greatest(now, w.at[cardinality(w.at)]) - 60000, w.at) + 1] + 60000 - now as "freeInMs"`

/**
 * Removes admitted calls from their windows. Returns the state of each window afterwards, or `undefined` if a crash has
 * emptied the table. Subtracts a call from the total of its entry and of all later entries. Deletes entries without
 * calls, because `freeInMs` is the time until the calls of the oldest entry are a minute old.
 */
export async function uncountCalls(
  sql: Runner,
  calls: readonly CountedCall[],
): Promise<Array<Pick<RateLimitRow, 'used' | 'freeInMs'> | undefined>> {
  const ofWindows = Map.groupBy(calls, ({ accountId, livemode }) => `${accountId} ${livemode}`)
  const windows = await Promise.all(
    [...ofWindows].map(async ([window, same]) => [window, (await uncountInWindow(sql, same))[0]] as const),
  )
  const states = new Map(windows)
  return calls.map(({ accountId, livemode }) => states.get(`${accountId} ${livemode}`))
}

async function uncountInWindow(sql: Runner, calls: readonly CountedCall[]) {
  const [{ accountId, livemode } = { accountId: 0, livemode: false }] = calls
  return await sql<Pick<RateLimitRow, 'used' | 'freeInMs'>[]>`
    update call_windows w set (at, upto) = (
      select array_agg(time order by place), array_agg(total order by place)
      from (
        select place, time, total, lag(total) over (order by place) as before
        from (
          select place, time, upto - (
            select count(*) from unnest(${calls.map(({ enteredAt }) => enteredAt)}::bigint[]) as uncounted (entered_at) where entered_at <= time
          ) as total
          from unnest(w.at, w.upto) with ordinality as entry (time, upto, place)
        ) totals
      ) kept
      where before is null or total <> before
    )
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) clock
    where w.account_id = ${accountId} and w.livemode = ${livemode}
    returning ${paceColumns(sql)}`
}

const keyOf = (sql: Runner, hash: string) => sql`
  api_keys k join accounts a on a.id = k.account_id and k.hash = decode(${hash}, 'hex') and k.revoked_at is null`

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

/** Deletes a row of `call_windows` whose last entry is in the future, because the clock was set back. */
async function deleteWindowAhead(sql: Runner, { callerId, keyLivemode }: CallerRow): Promise<boolean> {
  const deleted = await sql`
    delete from call_windows where account_id = ${callerId} and livemode = ${keyLivemode}
      and at[cardinality(at)] > (extract(epoch from clock_timestamp()) * 1000)::bigint + ${MINUTE_MS}::bigint`
  return deleted.count > 0
}
