import type { Outcome } from '@mediamill/contract/domain/request'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { findEvent, listAttempts } from '@mediamill/server/db/events/event-log'
import { parseAllowedHosts } from '@mediamill/server/outbound/guard/allowed-hosts'
import { accept } from '@mediamill/server/requests/accept'
import { claim } from '@mediamill/server/requests/claim'
import { settle } from '@mediamill/server/requests/settle'
import { deriveLinkKeys } from '@mediamill/server/store/link'
import { createLog } from '@mediamill/server/telemetry/log'
import type { Deliveries, DeliveriesOptions } from '@mediamill/server/webhooks/delivery-loop'
import { startDeliveries } from '@mediamill/server/webhooks/delivery-loop'
import { until } from './process.ts'
import { acceptable, aliveWorker, RETENTION_MS, SECRET_KEY, succeeded } from './request-rows.ts'

export const LINKS = { keys: deriveLinkKeys([SECRET_KEY]), baseUrl: 'https://media.example' }

export async function deliveriesTo(
  sql: Sql,
  hosts: string[],
  options: Partial<DeliveriesOptions> = {},
): Promise<Deliveries & AsyncDisposable> {
  const deliveries = await startDeliveries({
    sql,
    secretKey: SECRET_KEY,
    links: LINKS,
    network: { allowedHosts: parseAllowedHosts(hosts.join(',')) },
    log: createLog('silent', 'test'),
    ...options,
  })
  const { wake, counts } = deliveries
  const stop = (graceMs: number) => deliveries.stop(graceMs)
  return { wake, counts, stop, [Symbol.asyncDispose]: () => stop(0) }
}

/** Accepts, claims, and finishes one request. Returns the id of its event. */
export async function finishOne(
  sql: Sql,
  accountId: number,
  webhookUrl: string | null,
  outcome: Outcome = succeeded(),
): Promise<string> {
  const request = await accept(sql, acceptable(accountId, { webhookUrl, customer: 'Zoë', metadata: { order: '7' } }))
  const worker = await aliveWorker(sql)
  const claimed = await claim(sql, worker, 'image', [])
  if (claimed?.request.id !== request.id) throw new Error('another request was in the queue')
  await settle(sql, claimed.lease, outcome, RETENTION_MS)
  return await eventOf(sql, request.id)
}

export async function eventOf(sql: Sql, requestId: number): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from events where request_id = ${requestId}`
  if (row === undefined) throw new Error('the request has no event')
  return row.id
}

/** Inserts events of an account, as if many of its requests had been aborted now. */
export async function pileUp(sql: Sql, accountId: number, count: number, url: string): Promise<void> {
  await sql`
    with r as (
      insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, completed_at)
      select ${accountId}, true, 'images/read', 'image', 'aborted', 'https://example.com/a.jpg', '{}', now(), now()
      from generate_series(1, ${count})
      returning id
    )
    insert into events (id, account_id, request_id, type, url, status, due_at)
    select 'evt_' || id, ${accountId}, id, 'request.aborted', ${url}, 'pending', now() from r`
}

export async function ended(sql: Sql, id: string) {
  await until(async () => (await findEvent(sql, id))?.status !== 'pending')
  return await story(sql, id)
}

export async function story(sql: Sql, id: string) {
  const event = await findEvent(sql, id)
  if (event === undefined) throw new Error('there is no such event')
  return { event, attempts: await listAttempts(sql, id) }
}

/** Makes a pending event due now, even if it waits for its next attempt or for the lease of a dead process. */
export async function makeDue(sql: Sql, id: string): Promise<void> {
  await sql`update events set due_at = now() where id = ${id} and status = 'pending'`
}
