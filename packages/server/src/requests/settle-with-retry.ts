import type { FinalRequest, Outcome } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { isAway } from '../db/connection/connect.ts'
import { retry } from '../lib/time/retry.ts'
import type { Lease, SettleOptions } from './settle.ts'
import { settle } from './settle.ts'

/** The pause between retries while the database is unavailable. */
const RETRY_MS = 500

export type RetryOptions = SettleOptions & {
  signal: AbortSignal
  onAway: (error: unknown) => void
}

/** Completes a request once the database is available. If an earlier try had completed it, returns `undefined`. */
export async function settleWithRetry(
  sql: Sql,
  lease: Lease,
  outcome: Outcome,
  retentionMs: number,
  { signal, onAway, ...options }: RetryOptions,
): Promise<FinalRequest | undefined> {
  return await retryWhileAway(() => settle(sql, lease, outcome, retentionMs, options), { signal, onAway })
}

/** Retries `work` while the database is unavailable. Throws all other errors. */
export async function retryWhileAway<Result>(
  work: () => Promise<Result>,
  { signal, onAway }: Pick<RetryOptions, 'signal' | 'onAway'>,
): Promise<Result> {
  return await retry(work, {
    pauseMs: RETRY_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      onAway(error)
    },
    signal,
  })
}
