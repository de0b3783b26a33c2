import type { FinalRequest, Outcome } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { isAway } from '../db/connection/connect.ts'
import { retry } from '../lib/time/retry.ts'
import type { Held, SettleOptions } from './settle.ts'
import { settle } from './settle.ts'

/** The interval of retries to settle a finished request while the database is unavailable. */
const RETRY_MS = 500

export type Patience = SettleOptions & {
  signal: AbortSignal
  onAway: (error: unknown) => void
}

/** Waits for an unavailable database. Returns `undefined` too if an attempt succeeded without a response. */
export async function settleWithRetry(
  sql: Sql,
  held: Held,
  outcome: Outcome,
  retentionMs: number,
  { signal, onAway, ...options }: Patience,
): Promise<FinalRequest | undefined> {
  return await retry(() => settle(sql, held, outcome, retentionMs, options), {
    pauseMs: RETRY_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      onAway(error)
    },
    signal,
  })
}
