import type { ClaimedRow } from '../db/claim-requests.ts'
import {
  beat,
  claimRequest,
  deleteLostWorkers,
  handBack,
  isWaiting,
  listExhaustedRequests,
  releaseLostRequests,
  releaseRequest,
  releaseUnknown,
  updateProgress,
} from '../db/claim-requests.ts'
import { whenThere } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { RequestId } from '../domain/ids.ts'
import { limitsOf, MAX_ATTEMPTS } from '../domain/limits.ts'
import type { MicroUsd } from '../domain/money.ts'
import { microUsd } from '../domain/money.ts'
import type { Lane, MediaRequest } from '../domain/request.ts'
import type { TraceHeaders } from '../runtime/telemetry/trace.ts'
import { toRequest } from './record.ts'
import type { Held } from './settle.ts'
import { settle } from './settle.ts'

/** A request that this worker holds until it settles it, loses it or hands it back. */
export type Claim = {
  request: MediaRequest
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
  /** Whether others were waiting in the lane. */
  more: boolean
}

/** Takes the next request of a lane, or none; accounts in `except` hold as much here as one account may. */
export async function claim(sql: Sql, workerId: string, lane: Lane, except: number[]): Promise<Claim | undefined> {
  const row = await claimRequest(sql, workerId, lane, except)
  return row === undefined ? undefined : toClaim(row, workerId)
}

function toClaim(row: ClaimedRow, workerId: string): Claim {
  const own = { requestsPerMinute: null, concurrentRequests: null, maxSourceBytes: row.maxSourceBytes }
  return {
    request: toRequest(row),
    held: { id: row.id as RequestId, workerId, attempt: row.attempt },
    trace: row.trace,
    maxSourceBytes: limitsOf({ livemode: row.livemode, tier: row.tier, own }).maxSourceBytes,
    unitPrice: row.unitPrice === null ? undefined : microUsd(row.unitPrice),
    hold: microUsd(row.hold),
    destination: row.destination,
    more: row.more,
  }
}

/** Whether there may be something to claim in one of these lanes. */
export async function isWorkWaiting(sql: Sql, lanes: readonly Lane[]): Promise<boolean> {
  return await isWaiting(sql, lanes)
}

/** Says for the first time that this worker is alive; a database that is just away is waited for. */
export async function announce(sql: Sql, worker: { id: string; host: string }): Promise<void> {
  await whenThere(() => beat(sql, worker, []))
}

/** Says that this worker is alive; returns which of its requests it has lost, to an abort or to another worker. */
export async function renew(sql: Sql, worker: { id: string; host: string }, held: RequestId[]): Promise<RequestId[]> {
  const still = new Set(await beat(sql, worker, held))
  return held.filter((id) => !still.has(id))
}

/**
 * Takes over what silent workers held: frees it for others, and fails what has been lost too often, since a request
 * that ends every worker must not end the next one. Returns the ids of what was freed.
 */
export async function takeOver(sql: Sql, retentionMs: number): Promise<number[]> {
  const freed = await releaseLostRequests(sql, MAX_ATTEMPTS)
  for (const lost of await listExhaustedRequests(sql, MAX_ATTEMPTS)) {
    const held = { id: lost.id as RequestId, workerId: lost.workerId, attempt: lost.attempt }
    const message = `Processing stopped unexpectedly ${MAX_ATTEMPTS} times. The file may be damaged; try another copy of it.`
    await giveUp(sql, held, message, retentionMs)
  }
  await deleteLostWorkers(sql)
  return freed
}

/**
 * Frees what this worker holds and does not know of, because a connection broke between the commit of a claim and its
 * answer: as long as the worker lives nobody else would take it over. Not while a claim is under way. Returns the ids.
 */
export async function giveBackUnknown(sql: Sql, workerId: string, known: RequestId[]): Promise<number[]> {
  return await releaseUnknown(sql, workerId, known)
}

/** Ends an attempt that broke through no fault of the file: another may follow, and after the last the request fails. */
export async function letGo(sql: Sql, held: Held, retentionMs: number): Promise<void> {
  if (mayTryAgain(held)) await releaseRequest(sql, held)
  else await giveUp(sql, held, OUR_FAULT, retentionMs)
}

/** Whether another attempt follows when this one breaks. */
export const mayTryAgain = (held: Held): boolean => held.attempt < MAX_ATTEMPTS

const OUR_FAULT = `Something went wrong on our side, ${MAX_ATTEMPTS} times. It is not the file; try again later.`

async function giveUp(sql: Sql, held: Held, message: string, retentionMs: number): Promise<void> {
  const error = { code: 'processing_failed', message } as const
  await settle(sql, held, { status: 'failed', error, sourceBytes: 0 }, retentionMs)
}

/** Gives everything this worker holds back to the queue: it stops. */
export async function giveBack(sql: Sql, workerId: string): Promise<void> {
  await handBack(sql, workerId)
}

/** Notes how far a request has come, 0 to 99. */
export async function noteProgress(sql: Sql, held: Held, percent: number): Promise<void> {
  await updateProgress(sql, held, Math.min(Math.floor(percent), 99))
}
