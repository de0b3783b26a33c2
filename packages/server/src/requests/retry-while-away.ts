import { isAway } from '../db/connection/errors.ts'
import { retry } from '../lib/time/retry.ts'

const RETRY_MS = 500

export type RetryOptions = { signal: AbortSignal; onAway: (error: unknown) => void }

export async function retryWhileAway<Result>(
  work: () => Promise<Result>,
  { signal, onAway }: RetryOptions,
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
