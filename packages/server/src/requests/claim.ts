import type { RequestId } from '@mediamill/contract/domain/ids'
import { limitsOf, MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { Lane, MediaRequest } from '@mediamill/contract/domain/request'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { ClaimedRow } from '../db/claim-requests.ts'
import { claimRequest } from '../db/claim-requests.ts'
import { retryUntilAvailable } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import { listExhaustedRequests, requeue, requeueLost } from '../db/requeue-requests.ts'
import type { LivingWorker } from '../db/workers.ts'
import { renewHeartbeat } from '../db/workers.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { toRequest } from './record.ts'
import type { Lease } from './settle.ts'
import { settle } from './settle.ts'

export { checkForWork, isWorkWaiting } from '../db/claim-requests.ts'
export { updateProgress } from '../db/claimed-request.ts'
export { requeueAll, requeueUncounted, requeueUnknown } from '../db/requeue-requests.ts'
export type { LivingWorker } from '../db/workers.ts'

export type Claim = {
  request: MediaRequest
  lane: Lane
  lease: Lease
  maxSourceBytes: number
  /** The price of one unit when the request was accepted. `undefined` if an older version accepted the request. */
  unitPrice: MicroUsd | undefined
  hold: MicroUsd
  destination: Buffer | null
  trace: TraceHeaders | null
  callId: string | null
}

const ENDPOINT_NAMES = ENDPOINTS.map(({ name }): string => name)

export async function claim(
  sql: Sql,
  workerId: string,
  lane: Lane,
  exceptAccounts: number[],
  exceptRequests: RequestId[] = [],
): Promise<Claim | undefined> {
  const wanted = { lane, endpoints: ENDPOINT_NAMES, exceptAccounts, exceptRequests }
  const row = await claimRequest(sql, workerId, wanted)
  return row && toClaim(row, lane, workerId)
}

function toClaim(row: ClaimedRow, lane: Lane, workerId: string): Claim {
  return {
    request: toRequest(row),
    lane,
    lease: { id: row.id as RequestId, workerId, attempt: row.attempt },
    trace: row.trace,
    callId: row.callId,
    maxSourceBytes: limitsOf({ livemode: row.livemode, tier: row.tier, own: row }).maxSourceBytes,
    unitPrice: row.unitPrice === null ? undefined : microUsd(row.unitPrice),
    hold: microUsd(row.hold),
    destination: row.destination,
  }
}

export async function announce(sql: Sql, worker: LivingWorker): Promise<void> {
  await retryUntilAvailable(() => renewHeartbeat(sql, worker, []))
}

export async function renew(sql: Sql, worker: LivingWorker, requestIds: RequestId[]): Promise<RequestId[]> {
  const still = new Set(await renewHeartbeat(sql, worker, requestIds))
  return requestIds.filter((id) => !still.has(id))
}

/** Requeues the requests of lost workers, and returns their ids. A request without attempts left fails instead. */
export async function takeOver(sql: Sql, retentionMs: number): Promise<number[]> {
  const requeued = await requeueLost(sql, MAX_ATTEMPTS)
  for (const lost of await listExhaustedRequests(sql, MAX_ATTEMPTS)) {
    const lease = { id: lost.id as RequestId, workerId: lost.workerId, attempt: lost.attempt }
    const message = `Processing stopped unexpectedly ${MAX_ATTEMPTS} times. The file may be damaged; try another copy.`
    await fail(sql, lease, message, retentionMs)
  }
  return requeued
}

export async function requeueOrFail(sql: Sql, lease: Lease, retentionMs: number): Promise<void> {
  if (canRetry(lease)) await requeue(sql, lease)
  else await fail(sql, lease, INTERNAL_ERROR, retentionMs)
}

export const canRetry = (lease: Lease): boolean => lease.attempt < MAX_ATTEMPTS

const INTERNAL_ERROR = `An internal error occurred ${MAX_ATTEMPTS} times. The file is not the cause. Try again later.`

async function fail(sql: Sql, lease: Lease, message: string, retentionMs: number): Promise<void> {
  const error = { code: 'processing_failed', message } as const
  await settle(sql, lease, { status: 'failed', error, sourceBytes: 0 }, retentionMs)
}
