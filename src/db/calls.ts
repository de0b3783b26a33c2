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
 * each of the last calls, or for each batch of them when more than 240 are allowed: a batch is as old as its last call,
 * so calls are then let in a little late, and never one too many. The conflict clause locks the row first, so parallel
 * calls, of any number of processes, see each other. Refused calls are not counted, nor those of suspended accounts.
 * When the limit changes, as with a first purchase, the calls of the minute are taken along; with batches before or
 * after, the minute starts anew.
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
      select id, livemode, now, calls_per_minute as allowed,
        case when calls_per_minute <= 240 then 1 else (calls_per_minute + 59) / 60 end as batch
      from key, clock where not suspended
    ), entered as (
      insert into call_windows as w (account_id, livemode, allowed, batch, calls, ring)
      select id, livemode, allowed, batch, 1, array[now] || array_fill(0::bigint, array[
          case batch when 1 then allowed - 1 else (allowed + batch - 1) / batch end
        ])
      from pace
      on conflict (account_id, livemode) do update set
        allowed = excluded.allowed,
        batch = excluded.batch,
        calls = case
          when w.allowed = excluded.allowed then w.calls + 1
          when w.batch = 1 and excluded.batch = 1 then excluded.allowed
          else 1 end,
        ring = case
          when w.allowed = excluded.allowed
            then w.ring[:w.calls / w.batch % cardinality(w.ring)] || excluded.ring[1] || w.ring[w.calls / w.batch % cardinality(w.ring) + 2:]
          when w.batch = 1 and excluded.batch = 1
            then ${resized(sql)} || excluded.ring[1]
          else excluded.ring end
      where case
        when w.allowed = excluded.allowed
          then w.calls < w.allowed
            or w.ring[(w.calls - w.allowed) / w.batch % cardinality(w.ring) + 1] <= excluded.ring[1] - 60000
        when w.batch = 1 and excluded.batch = 1 and excluded.allowed < w.allowed
          then w.ring[(w.calls + w.allowed - excluded.allowed) % w.allowed + 1] <= excluded.ring[1] - 60000
        else true end
      returning w.batch, w.calls, w.ring
    ), paced as (
      select key.*, clock.now, entered.calls is not null as entered, w.batch,
        (w.calls - 1) % w.batch + 1 as newest_batch, w.since,
        w.ring[(w.calls - 1) / w.batch % cardinality(w.ring) + 2:] as older,
        w.ring[:(w.calls - 1) / w.batch % cardinality(w.ring) + 1] as newer
      from key cross join clock left join entered on true
        left join lateral (
          select entered.batch, entered.calls, entered.ring, null::bigint as since where entered.calls is not null
          union all
          select w.batch, w.calls, w.ring,
            case when w.calls >= w.allowed and not key.suspended
              then w.ring[(w.calls - w.allowed) / w.batch % cardinality(w.ring) + 1] end
          from call_windows w where entered.calls is null and w.account_id = key.id and w.livemode = key.livemode
        ) w on true
    ), counted as (
      select paced.*, width_bucket(now - 60000, older) as older_gone, width_bucket(now - 60000, newer) as newer_gone
      from paced
    )
    select key_id as "keyId", livemode, id as "accountId", name, email, tier, balance, held,
      case when livemode then open_live else open_test end as open,
      case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end as "testAcceptedToday",
      webhook_url as "webhookUrl", requests_per_minute as "requestsPerMinute",
      concurrent_requests as "concurrentRequests", max_source_bytes as "maxSourceBytes",
      suspended, created_at as "createdAt", calls_per_minute as "callsPerMinute", entered,
      greatest(0, least(calls_per_minute,
        (cardinality(older) - older_gone + cardinality(newer) - newer_gone) * batch - batch + newest_batch))::integer as used,
      coalesce(since, older[older_gone + 1], newer[newer_gone + 1]) + 60000 - now as "freeInMs"
    from counted`
  return row
}

/** The newest calls of a ring, oldest first, with room for one more in a ring of another length. */
const resized = (sql: Runner) => sql`
  (array_fill(0::bigint, array[excluded.allowed])
    || w.ring[w.calls % w.allowed + 1:] || w.ring[:w.calls % w.allowed]
  )[w.allowed + 2 : w.allowed + excluded.allowed]`
