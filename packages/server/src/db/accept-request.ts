import type { Lane } from '@mediamill/contract/domain/request'
import { MIN_STORED_BYTES } from '@mediamill/contract/domain/uploads'
import { lockedAccounts } from './accounts/lock-accounts.ts'
import type { Runner } from './connection/connect.ts'
import { clockOf, UNMEASURED_MS } from './fair-order.ts'
import { notifying } from './notify.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'
import type { Sealed } from './sealed-values.ts'
import { testAcceptedToday, today } from './today.ts'
import type { FormFile } from './uploads/form-files.ts'
import { releasedQuotas } from './uploads/lock-quotas.ts'

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
  destination: Sealed | null
  /** Digests of the metadata pairs (`pairsOf`). A filter by metadata finds the request by a digest. */
  pairs: readonly number[]
  /** The price of one unit when the request was accepted. It applies even if prices change later. */
  unitPrice: number
  hold: number
  keyId?: number | null
  concurrentRequests: number
  testRequestsPerDay: number
  idempotency: { key: string; holder: string } | null
  trace: Record<string, string> | null
  callId?: string | null
  files?: readonly FormFile[]
}

/**
 * How long a form's file is kept after the request was accepted. The file is deleted earlier if the request ends, and
 * later if the request is still open.
 */
const FORM_LIFE = '10 minutes'

/** Inserts requests: for each account, all or none. The caller must retry `undefined` results one by one. */
export async function insertRequests(
  sql: Runner,
  requests: readonly AcceptedRow[],
): Promise<Array<RequestRow | undefined>> {
  const rows = await sql<(RequestRow & { place: number })[]>`
    with ${needed(sql, requests)}, account as (
      update accounts a set
        held = a.held + needed.hold,
        open_live = open_live + live,
        open_test = open_test + test,
        tags = tags || (
          select jsonb_object_agg(lane, greatest((tags ->> lane)::bigint, ${clockOf(sql, sql`lane`)}) + greatest(1, cost / weight)::bigint)
          from (select lane, sum(cost) as cost from asked where asked.account_id = a.id group by lane) due
        ),
        test_accepted = case when test = 0 then test_accepted else ${testAcceptedToday(sql)} + test end,
        test_day = case when test = 0 then test_day else ${today(sql)} end
      from locked join needed on needed.account_id = locked.id
      where a.id = locked.id and not suspended
        and (needed.hold = 0 or balance - a.held >= needed.hold)
        and (live = 0 or open_live + live <= live_limit)
        and (test = 0 or open_test + test <= test_limit)
        and (test = 0 or ${testAcceptedToday(sql)} + test <= needed.test_requests)
      returning a.id, a.weight, a.tags
    ), ${placed(sql)}
    ${written(sql, requests)}`
  const inOrder = Array.from<RequestRow | undefined>({ length: requests.length })
  for (const row of rows) inOrder[row.place - 1] = row
  return inOrder
}

function needed(sql: Runner, requests: readonly AcceptedRow[]) {
  const column = <Value>(of: (request: AcceptedRow) => Value): Value[] => requests.map(of)
  const hasFiles = requests.some(({ files = [] }) => files.length > 0)
  return sql`
    asked as materialized (
      select asked.*, due.cost, mode = 'live' as livemode, holding::uuid as holder,
        sum(cost) over (partition by account_id, lane order by place) as cost_so_far
      from unnest(
        ${column((r) => r.accountId)}::bigint[], ${column((r) => (r.livemode ? 'live' : 'test'))}::text[], ${column((r) => r.endpoint)}::text[],
        ${column((r) => r.lane)}::text[], ${column((r) => r.source)}::text[], ${column((r) => r.webhookUrl)}::text[],
        ${column((r) => JSON.stringify(r.input))}::text[], ${column((r) => r.customer)}::text[],
        ${column((r) => r.metadata && JSON.stringify(r.metadata))}::text[], ${column((r) => r.hold)}::bigint[],
        ${column((r) => r.concurrentRequests)}::integer[], ${column((r) => r.testRequestsPerDay)}::integer[],
        ${column((r) => r.idempotency?.key ?? null)}::text[], ${column((r) => r.idempotency?.holder ?? null)}::text[],
        ${column((r) => r.trace && JSON.stringify(r.trace))}::text[], ${column((r) => r.unitPrice)}::bigint[],
        ${column((r) => r.destination?.value.toString('base64') ?? null)}::text[],
        ${column((r) => r.destination?.sealedBy ?? null)}::text[],
        ${column((r) => r.callId ?? null)}::text[], ${column((r) => r.keyId ?? null)}::bigint[], ${column((r) => r.files?.length ?? 0)}::integer[]
      ) with ordinality as asked (account_id, mode, endpoint, lane, source, webhook_url, input, customer, metadata, hold,
        concurrent_requests, test_requests, key, holding, trace, unit_price,
        destination, destination_sealed_by, call_id, key_id, files, place)
        left join endpoint_costs measured using (endpoint)
        cross join lateral (select coalesce(measured.ms, ${UNMEASURED_MS}::integer)::bigint * 1000 as cost) due
    ), held_key as materialized (
      select place from asked join idempotency_keys k using (account_id, livemode, key, holder)
      where k.request_id is null
      for update of k
    ), ${hasFiles ? heldFiles(sql, requests) : sql``} needed as materialized (
      select account_id, count(*) as requests, sum(hold)::bigint as hold, count(*) filter (where livemode) as live,
        count(*) filter (where not livemode) as test, min(concurrent_requests) filter (where livemode) as live_limit,
        min(concurrent_requests) filter (where not livemode) as test_limit, min(test_requests) as test_requests
      from asked left join held_key using (place)
      group by account_id
      having count(key) = count(held_key.place)
        ${hasFiles ? sql`and sum(files) = (select count(*) from held_file where held_file.account_id = asked.account_id)` : sql``}
    ), ${lockedAccounts(sql, sql`needed`)}`
}

/** Locks form files whose leases are valid. Locks parts before uploads, as `renewParts` does, to avoid deadlocks. */
function heldFiles(sql: Runner, requests: readonly AcceptedRow[]) {
  const files = requests.flatMap(({ files = [] }, index) => files.map((file) => ({ ...file, place: index + 1 })))
  return sql`
    held_part as materialized (
      select file.* from unnest(
        ${files.map(({ place }) => place)}::integer[], ${files.map(({ id }) => id)}::text[], ${files.map(({ key }) => key)}::text[],
        ${files.map(({ size }) => size)}::bigint[], ${files.map(({ sha256 }) => sha256)}::text[], ${files.map(({ format }) => format)}::text[]
      ) as file (place, id, key, bytes, sha256, format)
      join upload_parts p using (key)
      where p.size is null and p.lease_until > now()
      for update of p
    ), held_file as materialized (
      select held_part.*, u.account_id, u.livemode, u.size + u.room_extra as reserved
      from held_part join uploads u using (id)
      where u.status = 'waiting'
      for update of u
    ),`
}

const completedFiles = (sql: Runner) => sql`
    , upload as (
      update uploads u set status = 'complete', size = file.bytes, received = file.bytes,
        room_extra = greatest(${MIN_STORED_BYTES}::bigint - file.bytes, 0), sha256 = file.sha256, format = file.format,
        request_id = placed.id, expires_at = now() + ${FORM_LIFE}::interval, sweep_at = now() + ${FORM_LIFE}::interval
      from held_file file join placed using (place) where u.id = file.id
    ), part as (
      update upload_parts p set size = file.bytes from held_file file join placed using (place) where p.key = file.key
    ), freed as materialized (
      select file.account_id, file.livemode, sum(reserved - greatest(file.bytes, ${MIN_STORED_BYTES}::bigint))::bigint as bytes
      from held_file file join placed using (place) group by 1, 2
    ), ${releasedQuotas(sql)}`

/** Assigns ids and tags to requests. A tag is a position in the queue of a lane: claims start with the lowest tag. */
const placed = (sql: Runner) => sql`
  placed as materialized (
    select in_order.*, nextval('requests_id_seq') as id
    from (
      select asked.*, (account.tags ->> asked.lane)::bigint
        - ((sum(cost) over (partition by account_id, lane) - cost_so_far) / account.weight)::bigint as tag
      from asked join account on account.id = asked.account_id
      order by asked.place
    ) in_order
  )`

function written(sql: Runner, requests: readonly AcceptedRow[]) {
  // With `-infinity` in `turn`, the trigger requests_queue_new inserts no job. Only older versions need the trigger.
  return sql`
    , r as (
      insert into requests as r (id, account_id, livemode, endpoint, lane, source, webhook_url, input, customer, metadata, hold, turn, trace, unit_price, destination, destination_sealed_by, call_id, key_id)
      overriding system value
      select id, account_id, livemode, endpoint, lane, source, webhook_url, input::json, customer, metadata::json, hold, '-infinity', trace::json, unit_price,
        decode(destination, 'base64'), destination_sealed_by, call_id, key_id
      from placed order by place
      returning *
    ), job as (
      insert into jobs (kind, record_id, lane, account_id, tag)
      select 'request', id, lane, account_id, tag from placed order by place
    ), bond as (
      update idempotency_keys k set request_id = placed.id
      from placed
      where k.account_id = placed.account_id and k.livemode = placed.livemode and k.key = placed.key
    ), pair as (
      insert into request_metadata (account_id, pair, request_id)
      select placed.account_id, named.pair, placed.id
      from unnest(
          ${requests.flatMap(({ pairs }, index) => pairs.map(() => index + 1))}::integer[], ${requests.flatMap(({ pairs }) => pairs)}::bigint[]
        ) as named (place, pair)
        join placed using (place)
      on conflict do nothing
    )
    ${requests.some(({ files = [] }) => files.length > 0) ? completedFiles(sql) : sql``}
    , waking as materialized (
      select ${notifying(sql, sql`string_agg(distinct 'queue:' || lane, ' ')`)} from placed having count(*) > 0
    )
    select placed.place::integer, ${requestColumns(sql)}
    from r join placed using (id) cross join waking`
}
