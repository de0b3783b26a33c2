import type { Lane } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import { notifyingLanes, notifyingRequests } from './connection/notices.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

export type AcceptedRow = {
  accountId: number
  livemode: boolean
  endpoint: string
  lane: Lane
  source: string
  webhookUrl: string | null
  input: Record<string, unknown>
  customer: string | null
  metadata: Record<string, string> | null
  /** Where the result is put as well, sealed. */
  destination: Buffer | null
  /** The pairs of the metadata, as they are found by (`pairsOf`). */
  pairs: readonly number[]
  /** What one unit costs today: the end is charged by it, whatever the price is then. */
  unitPrice: number
  /** Credit to hold until the end: nothing for test keys. */
  hold: number
  /** Whether the call waits for the end. */
  awaited: boolean
  concurrentRequests: number
  testRequestsPerDay: number
  idempotency: { key: string; holder: string } | null
  /** The headers that continue the call's trace. */
  trace: Record<string, string> | null
}

/**
 * How far apart the turns of one account's requests are: what a request is thought to cost the machines. An account without
 * open requests starts at the present: what it used while nobody waited does not count against it.
 */
const TURN = '1 second'

/**
 * Writes requests with all that belongs to them, in one statement and one round trip. Those are their credit holds,
 * their places among their accounts' open requests, their day's counts and their bonds to Idempotency-Keys. In the
 * order of the requests.
 *
 * The requests of one account are written all or not at all: `undefined` says that not all that they need was to be had.
 * One alone gets the exact answer. An account's row is locked before it is judged, so the limits hold exactly under
 * parallel calls of any number of processes, and always in the same order, so that no two statements wait for each
 * other. A request is known again by its turn, which no other of its account has.
 *
 * `told` are the lanes whose workers hear of it with the commit; none where that would wait for the disk (decision 71).
 */
export async function insertRequests(
  sql: Runner,
  requests: readonly AcceptedRow[],
  told: readonly Lane[] = [],
): Promise<Array<RequestRow | undefined>> {
  const [first] = requests
  const isPlain = requests.length === 1 && first?.idempotency === null && first.pairs.length === 0
  // wall: credit spent twice by calls at once
  const rows = await sql<(RequestRow & { place: number })[]>`
    with ${isPlain ? neededAlone(sql, first) : neededTogether(sql, requests)}, account as (
      update accounts a set
        held = a.held + needed.hold,
        open_live = open_live + live,
        open_test = open_test + test,
        test_accepted = case when test = 0 then test_accepted when test_day = (now() at time zone 'utc')::date then test_accepted + test else test end,
        test_day = case when test = 0 then test_day else (now() at time zone 'utc')::date end,
        turn = case when open_live + open_test = 0 then now() else greatest(turn, now()) end + needed.requests * ${TURN}::interval
      from locked join needed on needed.account_id = locked.id
      where a.id = locked.id and not suspended
        and (needed.hold = 0 or balance - a.held >= needed.hold)
        and (live = 0 or open_live + live <= live_limit)
        and (test = 0 or open_test + test <= test_limit)
        and (test = 0 or case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end + test <= needed.test_requests)
      returning a.id, turn, needed.requests
    ), placed as (
      select asked.*, account.turn - (account.requests - nth) * ${TURN}::interval as turn
      from account join asked on asked.account_id = account.id
    )
    ${isPlain ? writtenAlone(sql, told) : writtenTogether(sql, requests, told)}`
  const inOrder = Array.from<RequestRow | undefined>({ length: requests.length })
  for (const row of rows) inOrder[row.place - 1] = row
  return inOrder
}

/** What requests ask for, by account, and the accounts that have it locked. */
function neededTogether(sql: Runner, requests: readonly AcceptedRow[]) {
  const column = <Value>(of: (request: AcceptedRow) => Value): Value[] => requests.map(of)
  // wall: two requests of one Idempotency-Key
  return sql`
    asked as materialized (
      select *, mode = 'live' as livemode, holding::uuid as holder,
        row_number() over (partition by account_id order by place) as nth
      from unnest(
        ${column((r) => r.accountId)}::bigint[], ${column((r) => (r.livemode ? 'live' : 'test'))}::text[], ${column((r) => r.endpoint)}::text[],
        ${column((r) => r.lane)}::text[], ${column((r) => r.source)}::text[], ${column((r) => r.webhookUrl)}::text[],
        ${column((r) => JSON.stringify(r.input))}::text[], ${column((r) => r.customer)}::text[],
        ${column((r) => r.metadata && JSON.stringify(r.metadata))}::text[], ${column((r) => r.hold)}::bigint[],
        ${column((r) => r.concurrentRequests)}::integer[], ${column((r) => r.testRequestsPerDay)}::integer[],
        ${column((r) => r.idempotency?.key ?? null)}::text[], ${column((r) => r.idempotency?.holder ?? null)}::text[],
        ${column((r) => r.trace && JSON.stringify(r.trace))}::text[], ${column((r) => r.unitPrice)}::bigint[],
        ${column((r) => Number(r.awaited))}::integer[], ${column((r) => r.destination?.toString('base64') ?? null)}::text[]
      ) with ordinality as asked (account_id, mode, endpoint, lane, source, webhook_url, input, customer, metadata, hold,
        concurrent_requests, test_requests, key, holding, trace, unit_price, awaited,
        destination, place)
    ), held_key as materialized (
      select place from asked join idempotency_keys k using (account_id, livemode, key, holder)
      where k.request_id is null
      for update of k
    ), needed as materialized (
      select account_id, count(*) as requests, sum(hold)::bigint as hold, count(*) filter (where livemode) as live,
        count(*) filter (where not livemode) as test, min(concurrent_requests) filter (where livemode) as live_limit,
        min(concurrent_requests) filter (where not livemode) as test_limit, min(test_requests) as test_requests
      from asked left join held_key using (place)
      group by account_id
      having count(key) = count(held_key.place)
    ), locked as materialized (
      select id from accounts where id in (select account_id from needed) order by id for no key update
    )`
}

/**
 * The same of one request without an Idempotency-Key or pairs. PostgreSQL puts its values where they are used: there is nothing to
 * be joined, summed or put in order, and the row is locked by its update.
 */
const neededAlone = (sql: Runner, request: AcceptedRow) => sql`
    asked as not materialized (
      select ${request.accountId}::bigint as account_id, ${request.livemode}::boolean as livemode, ${request.endpoint}::text as endpoint,
        ${request.lane}::text as lane, ${request.source}::text as source, ${request.webhookUrl}::text as webhook_url,
        ${JSON.stringify(request.input)}::text as input, ${request.customer}::text as customer,
        ${request.metadata && JSON.stringify(request.metadata)}::text as metadata, ${request.hold}::bigint as hold,
        ${request.concurrentRequests}::integer as concurrent_requests, ${request.testRequestsPerDay}::integer as test_requests,
        ${request.trace && JSON.stringify(request.trace)}::text as trace, ${request.unitPrice}::bigint as unit_price,
        ${Number(request.awaited)}::integer as awaited, ${request.destination?.toString('base64') ?? null}::text as destination, 1 as nth
    ), needed as not materialized (
      select account_id, 1 as requests, hold, livemode::integer as live, (not livemode)::integer as test,
        concurrent_requests as live_limit, concurrent_requests as test_limit, test_requests
      from asked
    ), locked as not materialized (
      select account_id as id from asked
    )`

const written = (sql: Runner) => sql`
  insert into requests as r (account_id, livemode, endpoint, lane, source, webhook_url, input, customer, metadata, hold, turn, trace, unit_price, awaited, destination)
  select account_id, livemode, endpoint, lane, source, webhook_url, input::json, customer, metadata::json, hold, turn, trace::json, unit_price, awaited = 1,
    decode(destination, 'base64')
  from placed`

/** Writes requests with their bonds to Idempotency-Keys and the pairs of their metadata. */
function writtenTogether(sql: Runner, requests: readonly AcceptedRow[], told: readonly Lane[]) {
  // wall: a request under another account’s Idempotency-Key
  return sql`
    , r as (
      ${written(sql)} order by place
      returning *
    ), bond as (
      update idempotency_keys k set request_id = r.id
      from r join placed using (account_id, turn)
      where k.account_id = placed.account_id and k.livemode = placed.livemode and k.key = placed.key
    ), tagged as (
      insert into request_metadata (account_id, pair, request_id)
      select r.account_id, tag.pair, r.id
      from unnest(
          ${requests.flatMap(({ pairs }, index) => pairs.map(() => index + 1))}::integer[], ${requests.flatMap(({ pairs }) => pairs)}::bigint[]
        ) as tag (place, pair)
        join placed using (place) join r using (account_id, turn)
      on conflict do nothing
    )
    select placed.place::integer, ${requestColumns(sql)}
    from r join placed using (account_id, turn)
      ${told.length === 0 ? sql`` : sql`left join ${notifyingRequests(sql, told, 'r')} on true`}`
}

/** The same of one request, without either. */
const writtenAlone = (sql: Runner, told: readonly Lane[]) => sql`
  ${written(sql)}
  returning 1 as place, ${requestColumns(sql)} ${told.length === 0 ? sql`` : sql`, ${notifyingLanes(sql, told)} as told`}`
