import type { RequestError, ResultData, ResultFile, StageTimes } from '@mediamill/contract/domain/request'
import { lockedAccounts } from './accounts/lock-accounts.ts'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

export type Finish = {
  status: 'succeeded' | 'failed' | 'aborted'
  price: number
  data: ResultData | null
  files: ResultFile[] | null
  error: RequestError | null
  sourceBytes: number
  took: StageTimes | null
  retentionMs: number
  eventId: string
  /** Trace headers of the work that ended the request. If missing, the event continues the trace of the API call. */
  trace?: Record<string, string> | undefined
}

/** A finished request. `addressed` is true if the event of the request may have a target URL. */
export type FinishedRow = RequestRow & { addressed: boolean }

type Guard = { workerId: string; attempt: number } | { accountId: number }

export type RequestEnd = { id: number; guard: Guard; finish: Finish }

/** Ends requests. If an abort, a worker, and a takeover race, exactly one succeeds. The others get `undefined`. */
export async function finishRequests(
  sql: Runner,
  ends: readonly RequestEnd[],
): Promise<Array<FinishedRow | undefined>> {
  const rows = await sql<(FinishedRow & { place: number })[]>`
    with ${asked(sql, ends)}, r as (
      update requests r set
        status = end_status, worker_id = null, completed_at = greatest(now(), created_at, started_at), destination = null,
        price = case when livemode then end_price else 0 end,
        data = end_data::json, files = end_files::json, error = end_error::json,
        trace = coalesce(end_trace::json, trace), source_bytes = end_source_bytes, took = end_took::json,
        result_bytes = coalesce(end_result_bytes, 0),
        deleted_at = case when end_status = 'succeeded' then now() + retention_ms * interval '1 millisecond' end,
        sweep_at = case when end_result_bytes is not null then now() + retention_ms * interval '1 millisecond' end
      from asked where r.id = asked.id and completed_at is null and ${allowed(sql)}
      returning r.*, asked.event_id, asked.place
    ), job as (
      delete from jobs j using r where j.kind = 'request' and j.record_id = r.id
    ), ${releasedFiles(sql)}, ended as materialized (
      select account_id, sum(hold)::bigint as hold, sum(price)::bigint as price, count(*) as requests,
        count(*) filter (where livemode) as live, count(*) filter (where not livemode) as test
      -- The condition locks the files before the accounts, as accepting a request does. The other order could deadlock.
      from r where (select count(*) from file) >= 0 group by account_id
    ), ${lockedAccounts(sql, sql`ended`)}, account as (
      update accounts a set
        held = a.held - ended.hold,
        balance = a.balance - ended.price,
        open_live = a.open_live - ended.live,
        open_test = a.open_test - ended.test,
        -- The row stays locked until the commit, so events are numbered in the order in which they become visible.
        event_count = a.event_count + ended.requests
      from ended join locked on locked.id = ended.account_id
      where a.id = ended.account_id
      returning a.id, a.webhook_url, a.event_count - ended.requests as before
    ), key as (
      update api_keys k set spent = greatest(k.spent - unspent.amount, 0)
      -- After the lock of the account, which orders all changes of its keys' spend.
      from (
        select key_id, (r.created_at at time zone 'utc')::date as day, sum(hold - price) as amount
        from r join account on account.id = r.account_id where key_id is not null group by 1, 2
      ) unspent
      where k.id = unspent.key_id and k.spent_on = unspent.day
    ), charge as (
      insert into ledger (account_id, kind, amount, request_id)
      select account_id, 'charge', -price, id from r where price > 0 order by place
    ), event as (
      insert into events (id, account_id, request_id, type, url, status, due_at, sequence)
      select r.event_id, r.account_id, r.id, 'request.' || r.status, goal.url,
        case when goal.url is null then 'unaddressed' else 'pending' end, case when goal.url is not null then now() end,
        account.before + row_number() over (partition by r.account_id order by r.place)
      from r join account on account.id = r.account_id
        cross join lateral (select coalesce(r.webhook_url, account.webhook_url) as url) goal
      returning request_id, url
    ), usage as (
      insert into usage_days as u (
        account_id, livemode, scope, day, endpoint, succeeded, failed, aborted,
        spent, succeeded_source_bytes, failed_source_bytes, result_bytes
      )
      select r.account_id, r.livemode, scope, (r.created_at at time zone 'utc')::date, r.endpoint,
        sum((r.status = 'succeeded')::integer), sum((r.status = 'failed')::integer),
        sum((r.status = 'aborted')::integer), sum(r.price),
        sum(case r.status when 'succeeded' then r.source_bytes else 0 end),
        sum(case r.status when 'succeeded' then 0 else r.source_bytes end), sum(r.result_bytes)
      from r join account on account.id = r.account_id
        cross join unnest(array['*', coalesce('=' || r.customer, '-')]) as scope
      group by 1, 2, 3, 4, 5
      on conflict (account_id, livemode, scope, day, endpoint) do update set
        succeeded = u.succeeded + excluded.succeeded, failed = u.failed + excluded.failed,
        aborted = u.aborted + excluded.aborted, spent = u.spent + excluded.spent,
        succeeded_source_bytes = u.succeeded_source_bytes + excluded.succeeded_source_bytes,
        failed_source_bytes = u.failed_source_bytes + excluded.failed_source_bytes,
        result_bytes = u.result_bytes + excluded.result_bytes
    )
    select r.place::integer, ${requestColumns(sql)}, event.url is not null as addressed
    from r join event on event.request_id = r.id`
  const inOrder = Array.from<FinishedRow | undefined>({ length: ends.length })
  for (const row of rows) inOrder[row.place - 1] = row
  return inOrder
}

/** Marks the form files of the ended requests for deletion. Their deletion releases their quota. */
const releasedFiles = (sql: Runner) => sql`
  used as materialized (
    -- A lookup for each request: a plan made for an empty table would scan the whole table.
    select r.id as request_id, u.id from r cross join lateral (
      select id from uploads where request_id = r.id and status = 'complete' limit 100
    ) u
  ), file as materialized (
    select u.* from (select * from used order by id) used cross join lateral (
      select id from uploads u
      where u.id = used.id and u.request_id = used.request_id and status = 'complete' limit 1 for update
    ) u
  ), upload as (
    update uploads u set status = 'deleting', sweep_at = now() from file where u.id = file.id
  )`

function allowed(sql: Runner) {
  const byAccount = sql`r.account_id = asked.by_account`
  // `=` would let the planner search all requests of the worker. It must find the request by its id.
  const byWorker = sql`r.worker_id is not distinct from asked.by_worker::uuid and r.attempt = asked.by_attempt`
  return sql`(${byAccount} or ${byWorker})`
}

const columnsOf = ({ id, guard, finish }: RequestEnd) => ({
  id,
  worker: 'workerId' in guard ? guard.workerId : null,
  attempt: 'workerId' in guard ? guard.attempt : null,
  account: 'workerId' in guard ? null : guard.accountId,
  status: finish.status,
  price: finish.price,
  data: textOf(finish.data),
  files: textOf(finish.files),
  error: textOf(finish.error),
  trace: textOf(finish.trace),
  sourceBytes: finish.sourceBytes,
  took: textOf(finish.took),
  resultBytes: bytesOf(finish.files),
  retentionMs: finish.retentionMs,
  eventId: finish.eventId,
})

function asked(sql: Runner, ends: readonly RequestEnd[]) {
  const words = ends.map(columnsOf)
  const column = <Name extends keyof ReturnType<typeof columnsOf>>(name: Name) => words.map((word) => word[name])
  return sql`
    asked as materialized (
      select * from unnest(
        ${column('id')}::bigint[], ${column('worker')}::text[], ${column('attempt')}::integer[], ${column('account')}::bigint[],
        ${column('status')}::text[], ${column('price')}::bigint[], ${column('data')}::text[], ${column('files')}::text[],
        ${column('error')}::text[], ${column('trace')}::text[], ${column('sourceBytes')}::bigint[], ${column('took')}::text[],
        ${column('resultBytes')}::bigint[], ${column('retentionMs')}::bigint[], ${column('eventId')}::text[]
      ) with ordinality as asked (id, by_worker, by_attempt, by_account, end_status, end_price, end_data, end_files, end_error,
        end_trace, end_source_bytes, end_took, end_result_bytes, retention_ms, event_id, place)
    )`
}

const textOf = (value: object | null | undefined) =>
  value === null || value === undefined ? null : JSON.stringify(value)

const bytesOf = (files: readonly ResultFile[] | null) =>
  files === null || files.length === 0 ? null : files.reduce((sum, file) => sum + file.size, 0)

export async function finishRequest(
  sql: Runner,
  id: number,
  guard: Guard,
  finish: Finish,
): Promise<FinishedRow | undefined> {
  const [row] = await finishRequests(sql, [{ id, guard, finish }])
  return row
}
