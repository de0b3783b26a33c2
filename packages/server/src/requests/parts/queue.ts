import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { limitsOf, MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import type { MediaRequest, RequestError } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import type { ClaimedPartRow, HeldPart, PartEnd, WantedPart } from '../../db/parts/parts.ts'
import {
  claimPart,
  finishPart,
  isPartFile,
  isPartWaiting as isWaiting,
  listHeldParts,
  requeueLostParts,
  requeuePart,
} from '../../db/parts/parts.ts'
import { toRequest } from '../record.ts'
import type { RetryOptions } from '../settle-with-retry.ts'
import { retryWhileAway } from '../settle-with-retry.ts'
import { PART_FORMAT } from './plan.ts'

export type { DonePart, HeldPart, PartEnd, PartsState } from '../../db/parts/parts.ts'
export {
  listDoneParts,
  readPartsState,
  requeueAllParts,
  requeueUnknownParts,
  updatePartProgress,
} from '../../db/parts/parts.ts'

export type PartClaim = {
  held: HeldPart
  request: MediaRequest
  number: number
  part: unknown
  plan: unknown
  source: unknown
  maxSourceBytes: number
}

/** `unmade`: the plan is invalid. `broken`: all attempts failed. `source_…`: unreadable. Others come from the file. */
export type PartError = { code: FailureCode | 'unmade' | 'broken'; message: string; operation?: number }

export async function claimNextPart(
  sql: Sql,
  workerId: string,
  ofRequests?: readonly RequestId[],
): Promise<PartClaim | undefined> {
  const wanted: WantedPart = { format: PART_FORMAT, ...(ofRequests !== undefined && { ofRequests }) }
  const row = await claimPart(sql, workerId, wanted)
  return row === undefined ? undefined : toClaim(row, workerId)
}

function toClaim(row: ClaimedPartRow, workerId: string): PartClaim {
  const own = { requestsPerMinute: null, concurrentRequests: null, maxSourceBytes: row.maxSourceBytes }
  return {
    held: { partId: row.partId, workerId, attempt: row.partAttempt },
    request: toRequest(row),
    number: row.number,
    part: row.part,
    plan: row.plan,
    source: row.from,
    maxSourceBytes: limitsOf({ livemode: row.livemode, tier: row.tier, own }).maxSourceBytes,
  }
}

export const isPartWaiting = async (sql: Sql): Promise<boolean> => await isWaiting(sql, PART_FORMAT)

export async function findLostParts(sql: Sql, workerId: string, partIds: readonly number[]): Promise<number[]> {
  const still = new Set(await listHeldParts(sql, workerId, partIds))
  return partIds.filter((id) => !still.has(id))
}

/** Records the end of a segment. Retries until the database is available. `false`: this attempt lost the segment. */
export async function finishPartWithRetry(
  sql: Sql,
  held: HeldPart,
  end: PartEnd,
  retryOptions: Pick<RetryOptions, 'signal' | 'onAway'>,
): Promise<boolean> {
  return await retryWhileAway(async () => {
    if (await finishPart(sql, held, end)) return true
    return 'file' in end && (await isPartFile(sql, held.partId, end.file.key))
  }, retryOptions)
}

/** The pause after a failed attempt, multiplied by the number of the attempt. */
const PAUSE_MS = 2_000

export async function requeueOrEndPart(sql: Sql, held: HeldPart, pauseMs = PAUSE_MS): Promise<void> {
  if (held.attempt < MAX_ATTEMPTS) await requeuePart(sql, held, pauseMs * held.attempt)
  else await finishPart(sql, held, { sourceBytes: 0, error: BROKEN })
}

const BROKEN: PartError = { code: 'broken', message: 'The segment failed in all attempts.' }

export async function takeOverParts(sql: Sql, requestId: RequestId): Promise<number> {
  return await requeueLostParts(sql, requestId, { maxAttempts: MAX_ATTEMPTS, error: BROKEN })
}

/** Returns the error of a request whose segment failed. Returns `undefined` if the unsplit video may still succeed. */
export function requestErrorOf(error: PartError): RequestError | undefined {
  const { code, message, operation } = error
  if (code === 'unmade' || code === 'broken' || code.startsWith('source_')) return undefined
  return { code, message, ...(operation !== undefined && { operation }) }
}
