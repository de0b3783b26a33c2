import type { RequestError, ResultData, ResultFile, StageTimes } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

/** The end of a request, in the words of its row. */
export type Finish = {
  status: 'succeeded' | 'failed' | 'aborted'
  price: number
  data: ResultData | null
  files: ResultFile[] | null
  error: RequestError | null
  sourceBytes: number
  /** What the stages of the attempt took; `null` when no attempt ended it. */
  took: StageTimes | null
  /** How long the files are kept after the end. */
  retentionMs: number
  eventId: string
  /** The headers that continue the trace of what ended it; without any those of the call stay. */
  trace?: Record<string, string> | undefined
}

/** A request that has ended. Calls may wait to hear of it, and its event may have somewhere to go. */
export type FinishedRow = RequestRow & { awaited: boolean; addressed: boolean }

/** Who may end a request. It is the worker that holds this very attempt, or the account that made it. */
export type Guard = { workerId: string; attempt: number } | { accountId: number }

/** An end that is asked for. */
export type AskedEnd = { id: number; guard: Guard; finish: Finish }

/**
 * Moves live requests to their final states. All that goes with it is done: jobs are deleted, holds freed, places given back, charges
 * written to the ledger and taken from balances, events recorded, usage summed. One statement, one transaction. In the
 * order of the ends, each request at most once.
 *
 * No row for one, and nothing changed of it: it was final already, or the guard's attempt was taken over. That guard is
 * what makes abort, worker and take-over safe against each other: the second one finds no row. Of several requests of one
 * account the account's row is locked, and waits for the disk, once.
 */
export async function finishRequests(sql: Runner, ends: readonly AskedEnd[]): Promise<Array<FinishedRow | undefined>> {
  // wall: a second end of a request
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
      delete from jobs where kind = 'request' and record_id = any(array(select id from r))
    ), ended as materialized (
      select account_id, sum(hold)::bigint as hold, sum(price)::bigint as price, count(*) as requests,
        count(*) filter (where livemode) as live, count(*) filter (where not livemode) as test
      from r group by account_id
    ), locked as materialized (
      -- In the same order always: no two statements wait for each other.
      select id from accounts where id in (select account_id from ended) order by id for no key update
    ), account as (
      update accounts a set
        held = a.held - ended.hold,
        balance = a.balance - ended.price,
        open_live = a.open_live - ended.live,
        open_test = a.open_test - ended.test,
        -- The row is locked until the commit: events are numbered in the order in which they can be seen.
        event_count = a.event_count + ended.requests
      from ended join locked on locked.id = ended.account_id
      where a.id = ended.account_id
      returning a.id, a.webhook_url, a.event_count - ended.requests as before
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
    select r.place::integer, ${requestColumns(sql)}, r.awaited, event.url is not null as addressed
    from r join event on event.request_id = r.id`
  const inOrder = Array.from<FinishedRow | undefined>({ length: ends.length })
  for (const row of rows) inOrder[row.place - 1] = row
  return inOrder
}

/** Who may end what is asked for. */
function allowed(sql: Runner) {
  // wall: an abort of another account’s request
  const byAccount = sql`r.account_id = asked.by_account`
  // Not `=`: of a worker's many requests the plan is to find the one by its id.
  // wall: a worker that lost its request
  const byWorker = sql`r.worker_id is not distinct from asked.by_worker::uuid and r.attempt = asked.by_attempt`
  return sql`(${byAccount} or ${byWorker})`
}

/** An end in the words of its statement; what is of no use to it is `null`. */
const wordsOf = ({ id, guard, finish }: AskedEnd) => ({
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

function asked(sql: Runner, ends: readonly AskedEnd[]) {
  const words = ends.map(wordsOf)
  const column = <Name extends keyof ReturnType<typeof wordsOf>>(name: Name) => words.map((word) => word[name])
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

/** `null` where there are no files to be deleted one day. */
const bytesOf = (files: readonly ResultFile[] | null) =>
  files === null || files.length === 0 ? null : files.reduce((sum, file) => sum + file.size, 0)

/** The same of one request. */
export async function finishRequest(
  sql: Runner,
  id: number,
  guard: Guard,
  finish: Finish,
): Promise<FinishedRow | undefined> {
  const [row] = await finishRequests(sql, [{ id, guard, finish }])
  return row
}
