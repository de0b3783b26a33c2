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
  /** Calls in the last minute, this one included; `null` when it was not let in. */
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
 * processes, see each other. Refused calls are not counted, nor those of suspended accounts.
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
        calls = case when cardinality(w.ring) = cardinality(excluded.ring) and w.batch = excluded.batch then w.calls + 1 else 1 end,
        ring = case when cardinality(w.ring) = cardinality(excluded.ring) and w.batch = excluded.batch
          then w.ring[:w.calls / w.batch % cardinality(w.ring)] || excluded.ring[1] || w.ring[w.calls / w.batch % cardinality(w.ring) + 2:]
          else excluded.ring end
      where cardinality(w.ring) <> cardinality(excluded.ring) or w.batch <> excluded.batch
        or w.calls % w.batch > 0
        or w.ring[w.calls / w.batch % cardinality(w.ring) + 1] <= excluded.ring[1] - 60000
      returning w.batch, w.calls, w.ring
    )
    select key.key_id as "keyId", key.livemode, key.id as "accountId", key.name, key.email, key.tier, key.balance, key.held,
      case when key.livemode then key.open_live else key.open_test end as open,
      case when key.test_day = (now() at time zone 'utc')::date then key.test_accepted else 0 end as "testAcceptedToday",
      key.webhook_url as "webhookUrl", key.requests_per_minute as "requestsPerMinute",
      key.concurrent_requests as "concurrentRequests", key.max_source_bytes as "maxSourceBytes",
      key.suspended, key.created_at as "createdAt", key.calls_per_minute as "callsPerMinute",
      entered.calls is not null as entered,
      minute.used,
      coalesce(minute.oldest, barred.since) + 60000 - clock.now as "freeInMs"
    from key cross join clock
      left join entered on true
      left join lateral (
        select least(count(*) * entered.batch - (entered.batch - 1 - (entered.calls - 1) % entered.batch), key.calls_per_minute)::integer as used, min(at) as oldest
        from unnest(entered.ring) as slot(at) where at > clock.now - 60000
      ) minute on entered.calls is not null
      left join lateral (
        select w.ring[w.calls / w.batch % cardinality(w.ring) + 1] as since
        from call_windows w where w.account_id = key.id and w.livemode = key.livemode
      ) barred on entered.calls is null`
  return row
}
