import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../../db/connection/connect.ts'
import { isAway } from '../../db/connection/connect.ts'
import type { PartsState } from '../../db/parts/parts.ts'
import { lookAtParts } from '../../db/parts/parts.ts'
import { pause } from '../../lib/time/retry.ts'
import type { PartError } from './line.ts'
import { takeOverParts } from './line.ts'

/** How often the parts of a video are looked at by whoever waits for them. */
const LOOK_MS = 500

/** So many looks apart those of lost workers are taken over, and the others are woken if any part waits. */
const LOOKS_A_ROUND = 4

export type PartsWatch = {
  /** Ends the waiting: rejects with its reason. */
  signal: AbortSignal
  /** Told how far all parts together are, 0 to 1. */
  onShare: (share: number) => void
  /** Called now and then while parts wait that nobody has. */
  onWaiting: () => void
  /** Told of a look that failed. The next one follows. */
  onAway: (error: unknown) => void
}

/**
 * Waits until all parts of a request are made, or one of them is not. A database that is away is waited for: nobody else
 * can take the request over meanwhile.
 */
export async function watchParts(
  sql: Sql,
  requestId: RequestId,
  { signal, onShare, onWaiting, onAway }: PartsWatch,
): Promise<{ error: PartError } | { sourceBytes: number }> {
  for (let looks = 0; ; looks += 1) {
    const isRound = looks % LOOKS_A_ROUND === 0
    const state = await look(sql, requestId, isRound).catch((error: unknown) => {
      if (!isAway(error)) throw error
      onAway(error)
    })
    if (state !== undefined) {
      onShare(state.share)
      if (state.failed !== null) return { error: state.failed as PartError }
      if (state.total > 0 && state.done === state.total) return { sourceBytes: state.sourceBytes }
      if (isRound && state.waiting > 0) onWaiting()
    }
    await pause(LOOK_MS, signal)
  }
}

async function look(sql: Sql, requestId: RequestId, isRound: boolean): Promise<PartsState> {
  if (isRound) await takeOverParts(sql, requestId)
  return await lookAtParts(sql, requestId)
}
