import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { limitsOf, MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import type { MediaRequest, RequestError } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import { isAway } from '../../db/connection/connect.ts'
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
import type { RetryOptions } from '../../lib/time/retry.ts'
import { retry } from '../../lib/time/retry.ts'
import { toRequest } from '../record.ts'
import type { Patience } from '../settle-patiently.ts'
import { PART_FORMAT } from './plan.ts'

export type { DonePart, HeldPart, PartEnd, PartsState } from '../../db/parts/parts.ts'
export {
  listDoneParts,
  lookAtParts,
  requeueAllParts,
  requeueUnknownParts,
  updatePartProgress,
} from '../../db/parts/parts.ts'

/** A part that this worker holds until it ends, loses or requeues it. */
export type PartClaim = {
  held: HeldPart
  request: MediaRequest
  number: number
  part: unknown
  plan: unknown
  /** The state of the source that every part is read from. */
  source: unknown
  maxSourceBytes: number
}

/**
 * Why a part has no file. `source`: it could not be read. `unmade`: the plan does not hold. `broken`: it was lost or broke
 * in all its attempts. Other codes are the file's, and the request's.
 */
export type PartError = { code: FailureCode | 'unmade' | 'broken'; message: string; operation?: number }

/** Takes the next part of any request, or of one of `ofRequests`. */
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

/** Tells whether a part waits that this version can make. */
export const isPartWaiting = async (sql: Sql): Promise<boolean> => await isWaiting(sql, PART_FORMAT)

/** Returns those of a worker's parts that it holds no more: aborted, or taken over. */
export async function findLostParts(sql: Sql, workerId: string, partIds: readonly number[]): Promise<number[]> {
  const still = new Set(await listHeldParts(sql, workerId, partIds))
  return partIds.filter((id) => !still.has(id))
}

/** How often a part that has ended is tried to be written while the database is away. */
const AGAIN_MS = 500

/**
 * Writes what a part came to, and waits for a database that is away. `false`: it is not this attempt's any more, and its
 * file nobody's.
 */
export async function endPartPatiently(
  sql: Sql,
  held: HeldPart,
  end: PartEnd,
  { signal, onAway }: Pick<Patience, 'signal' | 'onAway'>,
): Promise<boolean> {
  const options: RetryOptions = {
    pauseMs: AGAIN_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      onAway(error)
    },
    signal,
  }
  return await retry(async () => {
    if (await finishPart(sql, held, end)) return true
    // A try whose answer was lost may have written it.
    return 'file' in end && (await isPartFile(sql, held.partId, end.file.key))
  }, options)
}

/** The rest of a part after an attempt that broke, times its number. */
const REST_MS = 2_000

/** Requeues a part whose attempt broke; after the last one it ends without a file. */
export async function requeueOrEndPart(sql: Sql, held: HeldPart, restMs = REST_MS): Promise<void> {
  if (held.attempt < MAX_ATTEMPTS) await requeuePart(sql, held, restMs * held.attempt)
  else await finishPart(sql, held, { sourceBytes: 0, error: BROKEN })
}

const BROKEN: PartError = { code: 'broken', message: 'The part broke in all its attempts.' }

/** Requeues parts of a request that silent workers held. It ends those that were lost too often. */
export async function takeOverParts(sql: Sql, requestId: RequestId): Promise<number> {
  return await requeueLostParts(sql, requestId, { maxAttempts: MAX_ATTEMPTS, error: BROKEN })
}

/** Returns the end of a request that its part decides. `undefined`: one piece may end otherwise. */
export function requestErrorOf(error: PartError): RequestError | undefined {
  const { code, message, operation } = error
  if (code === 'unmade' || code === 'broken' || code.startsWith('source_')) return undefined
  return { code, message, ...(operation !== undefined && { operation }) }
}
