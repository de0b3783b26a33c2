import type { Lane } from '../domain/request.ts'
import type { Runner } from './connect.ts'
import { json } from './json.ts'
import { type RequestRow, requestColumns } from './requests.ts'

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
  /** Credit to hold until the end: nothing for test keys. */
  hold: number
  concurrentRequests: number
  testRequestsPerDay: number
  idempotency: { key: string; holder: string } | null
  /** The headers that continue the call's trace. */
  trace: Record<string, string> | null
}

/** How far apart the turns of one account's requests are: what a request is thought to cost the machines. */
const TURN = '1 second'

/**
 * Writes a request with its credit hold, its place among the account's open requests, its day's count and its bond to
 * the Idempotency-Key: one statement, one transaction, one round trip.
 *
 * No row back: one of them was not to be had, and nothing is written. The account's row is locked before it is judged,
 * so the limits hold exactly under parallel calls of any number of processes.
 */
export async function insertRequest(sql: Runner, request: AcceptedRow): Promise<RequestRow | undefined> {
  const { accountId, livemode, idempotency } = request
  const key = idempotency?.key ?? null
  const [row] = await sql<RequestRow[]>`
    with held_key as (
      select from idempotency_keys
      where account_id = ${accountId} and livemode = ${livemode} and key = ${key}::text
        and holder = ${idempotency?.holder ?? null}::uuid and request_id is null
      for update
    ), account as (
      update accounts set
        held = held + ${request.hold},
        open_live = open_live + case when ${livemode} then 1 else 0 end,
        open_test = open_test + case when ${livemode} then 0 else 1 end,
        test_accepted = case when ${livemode} then test_accepted when test_day = (now() at time zone 'utc')::date then test_accepted + 1 else 1 end,
        test_day = case when ${livemode} then test_day else (now() at time zone 'utc')::date end,
        turn = greatest(turn, now()) + ${TURN}::interval
      where id = ${accountId} and not suspended
        and (${request.hold}::bigint = 0 or balance - held >= ${request.hold}::bigint)
        and case when ${livemode} then open_live else open_test end < ${request.concurrentRequests}
        and (${livemode} or test_day <> (now() at time zone 'utc')::date or test_accepted < ${request.testRequestsPerDay})
        and (${key}::text is null or exists (select from held_key))
      returning id, turn
    ), r as (
      insert into requests (account_id, livemode, endpoint, lane, source, webhook_url, input, customer, metadata, hold, turn, trace)
      select id, ${livemode}, ${request.endpoint}, ${request.lane}, ${request.source}, ${request.webhookUrl},
        ${json(sql, request.input)}, ${request.customer}, ${json(sql, request.metadata)}, ${request.hold}, turn,
        ${json(sql, request.trace)}
      from account
      returning *
    ), bond as (
      update idempotency_keys k set request_id = r.id
      from r where k.account_id = ${accountId} and k.livemode = ${livemode} and k.key = ${key}::text
    )
    select ${requestColumns(sql)} from r`
  return row
}
