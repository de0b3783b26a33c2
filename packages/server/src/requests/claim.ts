import type { RequestId } from '@mediamill/contract/domain/ids'
import { limitsOf, MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { Lane, MediaRequest } from '@mediamill/contract/domain/request'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { ClaimedRow, LivingWorker } from '../db/claim-requests.ts'
import { beat, claimRequests, listExhaustedRequests, requeue, requeueLost } from '../db/claim-requests.ts'
import { whenThere } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { toRequest } from './record.ts'
import type { Held } from './settle.ts'
import { settle } from './settle.ts'

export type { LivingWorker } from '../db/claim-requests.ts'
export {
  isWorkWaiting,
  lookAround,
  requeueAll,
  requeueUncounted,
  requeueUnknown,
  updateProgress,
} from '../db/claim-requests.ts'

/** A request that this worker holds until it settles, loses or requeues it. */
export type Claim = {
  request: MediaRequest
  lane: Lane
  held: Held
  maxSourceBytes: number
  /** What one unit cost when the request was accepted; missing in requests of versions that did not note it. */
  unitPrice: MicroUsd | undefined
  /** The credit held for it at the claim. */
  hold: MicroUsd
  /** Where its result is put as well, sealed: `openDestination` reads it. */
  destination: Buffer | null
  /** What continues its call's trace, if that was traced. */
  trace: TraceHeaders | null
}

const ENDPOINT_NAMES = ENDPOINTS.map(({ name }): string => name)

/** What a worker asks for. Of the requests that wait it counts no more than `countTo`. */
export type Asking = {
  lane: Lane
  most: number
  exceptAccounts: number[]
  exceptRequests: RequestId[]
  countTo: number
}

/**
 * Takes the next requests of a lane, `most` at most. `waiting` tells how many are left there.
 *
 * Accounts in `exceptAccounts` hold as much here as one account may, and any other may hold `most` more. Requests in
 * `exceptRequests`, and those of endpoints that this version does not have, are left to other workers.
 */
export async function claimSeveral(
  sql: Sql,
  workerId: string,
  asking: Asking,
): Promise<{ claims: Claim[]; waiting: number }> {
  const rows = await claimRequests(sql, workerId, { ...asking, endpoints: ENDPOINT_NAMES })
  const claims = rows.map((row) => toClaim(row, asking.lane, workerId))
  return { claims, waiting: (rows[0]?.waiting ?? 0) - rows.length }
}

/** Takes the next request of a lane alone, or none. */
export async function claim(
  sql: Sql,
  workerId: string,
  lane: Lane,
  exceptAccounts: number[],
): Promise<Claim | undefined> {
  const one = { lane, most: 1, exceptAccounts, exceptRequests: [], countTo: 1 }
  const { claims } = await claimSeveral(sql, workerId, one)
  return claims[0]
}

function toClaim(row: ClaimedRow, lane: Lane, workerId: string): Claim {
  const own = { requestsPerMinute: null, concurrentRequests: null, maxSourceBytes: row.maxSourceBytes }
  return {
    request: toRequest(row),
    lane,
    held: { id: row.id as RequestId, workerId, attempt: row.attempt },
    trace: row.trace,
    maxSourceBytes: limitsOf({ livemode: row.livemode, tier: row.tier, own }).maxSourceBytes,
    unitPrice: row.unitPrice === null ? undefined : microUsd(row.unitPrice),
    hold: microUsd(row.hold),
    destination: row.destination,
  }
}

/** Notes for the first time that this worker is alive. Waits for a database that is away. */
export async function announce(sql: Sql, worker: LivingWorker): Promise<void> {
  await whenThere(() => beat(sql, worker, []))
}

/** Renews the lease of this worker. Returns the requests that it no longer holds: aborted or taken over. */
export async function renew(sql: Sql, worker: LivingWorker, held: RequestId[]): Promise<RequestId[]> {
  const still = new Set(await beat(sql, worker, held))
  return held.filter((id) => !still.has(id))
}

/**
 * Requeues what silent workers held, and fails what was lost too often. Returns the ids of what was requeued.
 *
 * A request that ends every worker must not end the next one.
 */
export async function takeOver(sql: Sql, retentionMs: number): Promise<number[]> {
  const requeued = await requeueLost(sql, MAX_ATTEMPTS)
  for (const lost of await listExhaustedRequests(sql, MAX_ATTEMPTS)) {
    const held = { id: lost.id as RequestId, workerId: lost.workerId, attempt: lost.attempt }
    const message = `Processing stopped unexpectedly ${MAX_ATTEMPTS} times. The file may be damaged; try another copy of it.`
    await fail(sql, held, message, retentionMs)
  }
  return requeued
}

/** Requeues a request whose attempt broke through no fault of the file. After the last attempt the request fails. */
export async function requeueOrFail(sql: Sql, held: Held, retentionMs: number): Promise<void> {
  if (mayTryAgain(held)) await requeue(sql, held)
  else await fail(sql, held, OUR_FAULT, retentionMs)
}

/** Tells whether another attempt follows when this one breaks. */
export const mayTryAgain = (held: Held): boolean => held.attempt < MAX_ATTEMPTS

const OUR_FAULT = `Something went wrong on our side, ${MAX_ATTEMPTS} times. It is not the file; try again later.`

async function fail(sql: Sql, held: Held, message: string, retentionMs: number): Promise<void> {
  const error = { code: 'processing_failed', message } as const
  await settle(sql, held, { status: 'failed', error, sourceBytes: 0 }, retentionMs)
}
