import type { Tier } from '../domain/limits.ts'
import type { Runner } from './connect.ts'

/** What a valid key says about its caller, and where the caller stands in its minute. */
export type CallerRow = {
  keyId: number
  livemode: boolean
  accountId: number
  name: string
  email: string
  tier: Tier
  balance: number
  held: number
  open: number
  testAcceptedToday: number
  webhookUrl: string | null
  requestsPerMinute: number | null
  concurrentRequests: number | null
  maxSourceBytes: number | null
  suspended: boolean
  createdAt: Date
  /** Calls a minute that the key may make, its account's own number first. */
  callsPerMinute: number
  /** Whether this call was let in and counted. */
  entered: boolean
  /** Calls in the last minute, this one included when it was let in; `null` for none. */
  used: number | null
  /** Milliseconds until the oldest call of the minute leaves it; when refused, until a call is let in again. */
  freeInMs: number | null
}

/**
 * Finds a key by its hash and counts the call, in one round trip.
 *
 * The window slides: a call is let in when the call `callsPerMinute` before it is a minute old. Its ring has a slot for
 * each of the last calls, or for each batch of them when more than 240 are allowed: then a batch at the most is refused
 * too much, and never one let in too much. The conflict clause locks the row first, so parallel calls, of any number of
 * processes, see each other. Refused calls are not counted, nor those of suspended accounts. When the limit changes, as
 * with a first purchase, the calls of the minute are taken along; with batches before or after, the minute starts anew.
 */
export async function enterCall(
  sql: Runner,
  hash: Buffer,
  perMinute: { test: number; free: number; paid: number },
): Promise<CallerRow | undefined> {
  const [row] = await sql<CallerRow[]>`
    with clock as (
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now
    ), key as materialized (
      select k.id as key_id, k.livemode, a.*, case
          when not k.livemode then ${perMinute.test}::integer
          else coalesce(a.requests_per_minute, case a.tier when 'paid' then ${perMinute.paid}::integer else ${perMinute.free}::integer end)
        end as calls_per_minute
      from api_keys k join accounts a on a.id = k.account_id
      where k.hash = ${hash} and k.revoked_at is null
    ), pace as (
      select id, livemode, now, (calls_per_minute + 239) / 240 as batch,
        calls_per_minute / ((calls_per_minute + 239) / 240) as slots
      from key, clock where not suspended
    ), entered as (
      insert into call_windows as w (account_id, livemode, batch, calls, ring)
      select id, livemode, batch, 1, array[now] || array_fill(0::bigint, array[slots - 1]) from pace
      on conflict (account_id, livemode) do update set
        batch = excluded.batch,
        calls = case
          when w.batch = excluded.batch and cardinality(w.ring) = cardinality(excluded.ring) then w.calls + 1
          when w.batch = 1 and excluded.batch = 1 then cardinality(excluded.ring)
          else 1 end,
        ring = case
          when w.batch = excluded.batch and cardinality(w.ring) = cardinality(excluded.ring)
            then w.ring[:w.calls / w.batch % cardinality(w.ring)] || excluded.ring[1] || w.ring[w.calls / w.batch % cardinality(w.ring) + 2:]
          when w.batch = 1 and excluded.batch = 1
            then ${resized(sql)} || excluded.ring[1]
          else excluded.ring end
      where case
        when w.batch = excluded.batch and cardinality(w.ring) = cardinality(excluded.ring)
          then w.calls % w.batch > 0 or w.ring[w.calls / w.batch % cardinality(w.ring) + 1] <= excluded.ring[1] - 60000
        when w.batch = 1 and excluded.batch = 1 and cardinality(excluded.ring) < cardinality(w.ring)
          then w.ring[(w.calls + cardinality(w.ring) - cardinality(excluded.ring)) % cardinality(w.ring) + 1] <= excluded.ring[1] - 60000
        else true end
      returning w.batch, w.calls, w.ring
    )
    select key.key_id as "keyId", key.livemode, key.id as "accountId", key.name, key.email, key.tier, key.balance, key.held,
      case when key.livemode then key.open_live else key.open_test end as open,
      case when key.test_day = (now() at time zone 'utc')::date then key.test_accepted else 0 end as "testAcceptedToday",
      key.webhook_url as "webhookUrl", key.requests_per_minute as "requestsPerMinute",
      key.concurrent_requests as "concurrentRequests", key.max_source_bytes as "maxSourceBytes",
      key.suspended, key.created_at as "createdAt", key.calls_per_minute as "callsPerMinute",
      entered.calls is not null as entered, minute.used,
      coalesce(window_before.since, minute.oldest) + 60000 - clock.now as "freeInMs"
    from key cross join clock
      left join entered on true
      left join lateral (
        select w.batch, w.calls, w.ring,
          case when not key.suspended then w.ring[w.calls / w.batch % cardinality(w.ring) + 1] end as since
        from call_windows w where entered.calls is null and w.account_id = key.id and w.livemode = key.livemode
      ) window_before on true
      left join lateral (
        select least(count(*) * w.batch - (w.batch - 1 - (w.calls - 1) % w.batch), key.calls_per_minute)::integer as used,
          min(at) as oldest
        from (select coalesce(entered.batch, window_before.batch) as batch, coalesce(entered.calls, window_before.calls) as calls) w,
          unnest(coalesce(entered.ring, window_before.ring)) as slot(at)
        where at > clock.now - 60000
        group by w.batch, w.calls
      ) minute on true`
  return row
}

/** The newest calls of a ring, oldest first, with room for one more in a ring of another length. */
const resized = (sql: Runner) => sql`
  (array_fill(0::bigint, array[cardinality(excluded.ring)])
    || w.ring[w.calls % cardinality(w.ring) + 1:] || w.ring[:w.calls % cardinality(w.ring)]
  )[cardinality(w.ring) + 2 : cardinality(w.ring) + cardinality(excluded.ring)]`
