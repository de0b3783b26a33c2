import type { AcceptedRow } from '@mediamill/server/db/accept-request'
import { insertRequests } from '@mediamill/server/db/accept-request'
import type { ClaimedRow } from '@mediamill/server/db/claim-requests'
import { claimRequest } from '@mediamill/server/db/claim-requests'
import type { Runner } from '@mediamill/server/db/connection/connect'
import { raiseFloors } from '@mediamill/server/db/fair-order'
import { finishRequests } from '@mediamill/server/db/finish-request'

const ENDPOINTS = ['images/process', 'images/read']

export const liveRequest = (accountId: number, differing: Partial<AcceptedRow> = {}): AcceptedRow => ({
  accountId,
  livemode: true,
  endpoint: 'images/read',
  lane: 'image',
  source: 'https://example.com/a.jpg',
  webhookUrl: null,
  input: {},
  customer: null,
  metadata: null,
  destination: null,
  pairs: [],
  unitPrice: 0,
  hold: 0,
  concurrentRequests: 1_000_000,
  testRequestsPerDay: 0,
  idempotency: null,
  trace: null,
  ...differing,
})

/** Accepts a request `count` times. Inserts 50 requests per statement, as the service does under load. */
export async function acceptMany(sql: Runner, request: AcceptedRow, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 50) {
    await insertRequests(
      sql,
      Array.from({ length: Math.min(left, 50) }, () => request),
    )
  }
}

export const claimNextImage = (sql: Runner, workerId: string, exceptAccounts: number[] = []) =>
  claimRequest(sql, workerId, { lane: 'image', endpoints: ENDPOINTS, exceptAccounts, exceptRequests: [] })

export const finishOf = (id: number) => ({
  status: 'succeeded' as const,
  price: 0,
  data: null,
  files: null,
  error: null,
  sourceBytes: 0,
  took: null,
  retentionMs: 60_000,
  eventId: `evt_${id}`,
})

/** Finishes the requests in one statement, as if all requests ended at the same time. */
export async function finishAll(sql: Runner, workerId: string, claimed: readonly ClaimedRow[]): Promise<void> {
  await finishRequests(
    sql,
    claimed.map(({ id, attempt }) => ({ id, guard: { workerId, attempt }, finish: finishOf(id) })),
  )
}

export async function runOnIdleFleet(
  sql: Runner,
  workerId: string,
  requests: readonly AcceptedRow[],
  count: number,
): Promise<void> {
  for (let done = 0; done < count; ) {
    const batch = Array.from(
      { length: Math.min(25, count - done) },
      (_, nth) => requests[(done + nth) % requests.length],
    )
    await insertRequests(
      sql,
      batch.filter((request) => request !== undefined),
    )
    const claimed: ClaimedRow[] = []
    for (const _ of batch) {
      const row = await claimNextImage(sql, workerId)
      if (row !== undefined) claimed.push(row)
    }
    await finishAll(sql, workerId, claimed)
    done += claimed.length
  }
}

/** Raises the floor of each lane, as the service does regularly. Claims search for jobs only from the floor on. */
export async function passFloors(sql: Runner): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await sql`update lanes set marked_at = '-infinity'`
    await raiseFloors(sql)
  }
}
