import type { FinalRequest, Outcome } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { isAway } from '../db/connection/connect.ts'
import { retry } from '../lib/time/retry.ts'
import type { Held, SettleOptions } from './settle.ts'
import { settle } from './settle.ts'

/** How often a finished request is tried to be settled while the database is away. */
const AGAIN_MS = 500

export type Patience = SettleOptions & {
  /** Ends the waiting: rejects with the signal's reason. */
  signal: AbortSignal
  /** Told of every try that the database was away for. */
  onAway: (error: unknown) => void
}

/**
 * Settles, and waits for a database that is away. Hours of work may be in the outcome.
 *
 * A try whose answer was lost may have been accepted; then the next finds the request final and returns `undefined`,
 * and its files are published.
 */
export async function settlePatiently(
  sql: Sql,
  held: Held,
  outcome: Outcome,
  retentionMs: number,
  { signal, onAway, ...options }: Patience,
): Promise<FinalRequest | undefined> {
  return await retry(() => settle(sql, held, outcome, retentionMs, options), {
    pauseMs: AGAIN_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      onAway(error)
    },
    signal,
  })
}
