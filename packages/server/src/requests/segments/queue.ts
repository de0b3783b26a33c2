import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { limitsOf, MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import type { MediaRequest, RequestError } from '@mediamill/contract/domain/request'
import type { Runner, Sql } from '../../db/connection/connect.ts'
import type { ClaimedSegmentRow, SegmentEnd, SegmentFilter, SegmentLease } from '../../db/segments/segments.ts'
import {
  claimSegment,
  finishSegment,
  isSegmentFile,
  isSegmentWaiting as isWaiting,
  listLeasedSegments,
  requeueLostSegments,
  requeueSegment,
} from '../../db/segments/segments.ts'
import { toRequest } from '../record.ts'
import type { RetryOptions } from '../retry-while-away.ts'
import { retryWhileAway } from '../retry-while-away.ts'
import { SEGMENT_FORMAT } from './plan.ts'

export type {
  DoneSegment,
  SegmentEnd,
  SegmentLease,
  SegmentsState,
} from '../../db/segments/segments.ts'
export {
  listDoneSegments,
  readSegmentsState,
  requeueAllSegments,
  requeueUnknownSegments,
  updateSegmentProgress,
} from '../../db/segments/segments.ts'

export type SegmentClaim = {
  lease: SegmentLease
  request: MediaRequest
  number: number
  plan: unknown
  source: unknown
  maxSourceBytes: number
}

/**
 * Why a segment failed. `unmade`: the video does not match the plan. `broken`: all attempts failed. `source_…`: the
 * source is unreadable.
 */
export type SegmentError = { code: FailureCode | 'unmade' | 'broken'; message: string; operation?: number }

export async function claimNextSegment(
  sql: Runner,
  workerId: string,
  ofRequests?: readonly RequestId[],
): Promise<SegmentClaim | undefined> {
  const filter: SegmentFilter = { format: SEGMENT_FORMAT, ...(ofRequests !== undefined && { ofRequests }) }
  const row = await claimSegment(sql, workerId, filter)
  return row === undefined ? undefined : toClaim(row, workerId)
}

function toClaim(row: ClaimedSegmentRow, workerId: string): SegmentClaim {
  return {
    lease: { partId: row.partId, workerId, attempt: row.partAttempt },
    request: toRequest(row),
    number: row.number,
    plan: row.plan,
    source: row.from,
    maxSourceBytes: limitsOf({ livemode: row.livemode, tier: row.tier, own: row }).maxSourceBytes,
  }
}

export const isSegmentWaiting = async (sql: Sql): Promise<boolean> => await isWaiting(sql, SEGMENT_FORMAT)

export async function findLostSegments(sql: Sql, workerId: string, segmentIds: readonly number[]): Promise<number[]> {
  const still = new Set(await listLeasedSegments(sql, workerId, segmentIds))
  return segmentIds.filter((id) => !still.has(id))
}

/** Records the end of a segment. Waits during an outage. Returns `false` if another worker has claimed the segment. */
export async function finishSegmentWithRetry(
  sql: Sql,
  lease: SegmentLease,
  end: SegmentEnd,
  retryOptions: RetryOptions,
): Promise<boolean> {
  return await retryWhileAway(async () => {
    if (await finishSegment(sql, lease, end)) return true
    return 'file' in end && (await isSegmentFile(sql, lease.partId, end.file.key))
  }, retryOptions)
}

const PAUSE_MS = 2_000

export async function requeueOrEndSegment(sql: Sql, lease: SegmentLease, pauseMs = PAUSE_MS): Promise<void> {
  if (lease.attempt < MAX_ATTEMPTS) await requeueSegment(sql, lease, pauseMs * lease.attempt)
  else await finishSegment(sql, lease, { sourceBytes: 0, error: BROKEN })
}

const BROKEN: SegmentError = { code: 'broken', message: 'The segment failed in all attempts.' }

export async function takeOverSegments(sql: Sql, requestId: RequestId): Promise<number> {
  return await requeueLostSegments(sql, requestId, { maxAttempts: MAX_ATTEMPTS, error: BROKEN })
}

/** Returns the error of the request, or `undefined` if the video may succeed without splitting it. */
export function requestErrorOf(error: SegmentError): RequestError | undefined {
  const { code, message, operation } = error
  if (code === 'unmade' || code === 'broken' || code.startsWith('source_')) return undefined
  return { code, message, ...(operation !== undefined && { operation }) }
}
