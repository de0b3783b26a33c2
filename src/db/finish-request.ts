import type { RequestError, ResultData, ResultFile, StageTimes } from '../domain/request.ts'
import type { Runner } from './connection/connect.ts'
import { json } from './connection/json.ts'
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

/** A request that has ended, and whether calls wait to hear of it. */
export type FinishedRow = RequestRow & { awaited: boolean }

/** Who may end a request. It is the worker that holds this very attempt, or the account that made it. */
export type Guard = { workerId: string; attempt: number } | { accountId: number }

/**
 * Moves a live request to its final state. All that goes with it is done: the hold is freed, the place given back, the
 * charge written to the ledger and taken from the balance, the event recorded, the day's usage summed. One statement,
 * one transaction.
 *
 * No row back, and nothing changed: it was final already, or the guard's attempt was taken over. That guard is what
 * makes abort, worker and take-over safe against each other: the second one finds no row.
 */
export async function finishRequest(
  sql: Runner,
  id: number,
  guard: Guard,
  finish: Finish,
): Promise<FinishedRow | undefined> {
  const allowed =
    // wall: an abort of another account’s request
    'accountId' in guard
      ? sql`account_id = ${guard.accountId}`
      : // Not `=`: of a worker's many requests the plan is to find the one by its id.
        // wall: a worker that lost its request
        sql`worker_id is not distinct from ${guard.workerId} and attempt = ${guard.attempt}`
  const hasFiles = (finish.files ?? []).length > 0
  const resultBytes = (finish.files ?? []).reduce((sum, file) => sum + file.size, 0)
  // wall: a second end of a request
  const [row] = await sql<FinishedRow[]>`
    with r as (
      update requests set
        status = ${finish.status}, worker_id = null, completed_at = greatest(now(), created_at, started_at), destination = null,
        price = case when livemode then ${finish.price}::bigint else 0 end,
        data = ${json(sql, finish.data)}, files = ${json(sql, finish.files)}, error = ${json(sql, finish.error)},
        trace = coalesce(${json(sql, finish.trace)}, trace), source_bytes = ${finish.sourceBytes}, took = ${json(sql, finish.took)}, result_bytes = ${resultBytes},
        deleted_at = case when ${finish.status === 'succeeded'} then now() + ${finish.retentionMs} * interval '1 millisecond' end,
        sweep_at = case when ${hasFiles} then now() + ${finish.retentionMs} * interval '1 millisecond' end
      where id = ${id} and completed_at is null and ${allowed}
      returning *
    ), account as (
      update accounts a set
        held = a.held - r.hold,
        balance = a.balance - r.price,
        open_live = a.open_live - case when r.livemode then 1 else 0 end,
        open_test = a.open_test - case when r.livemode then 0 else 1 end,
        -- The row is locked until the commit: events are numbered in the order in which they can be seen.
        event_count = a.event_count + 1
      from r where a.id = r.account_id
      returning a.webhook_url, a.event_count
    ), charge as (
      insert into ledger (account_id, kind, amount, request_id)
      select account_id, 'charge', -price, id from r where price > 0
    ), event as (
      insert into events (id, account_id, request_id, type, url, status, due_at, sequence)
      select ${finish.eventId}, r.account_id, r.id, 'request.' || r.status, goal.url,
        case when goal.url is null then 'unaddressed' else 'pending' end, case when goal.url is not null then now() end,
        account.event_count
      from r, account, lateral (select coalesce(r.webhook_url, account.webhook_url) as url) goal
    ), usage as (
      insert into usage_days as u (
        account_id, livemode, scope, day, endpoint, succeeded, failed, aborted,
        spent, succeeded_source_bytes, failed_source_bytes, result_bytes
      )
      select r.account_id, r.livemode, scope, (r.created_at at time zone 'utc')::date, r.endpoint,
        (r.status = 'succeeded')::integer, (r.status = 'failed')::integer, (r.status = 'aborted')::integer, r.price,
        case r.status when 'succeeded' then r.source_bytes else 0 end,
        case r.status when 'succeeded' then 0 else r.source_bytes end, r.result_bytes
      from r, account, unnest(array['*', coalesce('=' || r.customer, '-')]) as scope
      on conflict (account_id, livemode, scope, day, endpoint) do update set
        succeeded = u.succeeded + excluded.succeeded, failed = u.failed + excluded.failed,
        aborted = u.aborted + excluded.aborted, spent = u.spent + excluded.spent,
        succeeded_source_bytes = u.succeeded_source_bytes + excluded.succeeded_source_bytes,
        failed_source_bytes = u.failed_source_bytes + excluded.failed_source_bytes,
        result_bytes = u.result_bytes + excluded.result_bytes
    )
    select ${requestColumns(sql)}, r.awaited from r`
  return row
}
