import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  /** Milliseconds between a failure and the next try. `tries` is the number of failures, from 1. */
  pauseMs: number | ((tries: number) => number)
  /** Called after each failure. Throw to stop, or return to try again. */
  onFailure: (error: unknown, tries: number) => void | Promise<void>
  /** Ends the pause between tries. The promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

export async function retry<Result>(
  work: () => Promise<Result>,
  { pauseMs, onFailure, signal }: RetryOptions,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      await onFailure(error, tries)
    }
    await pause(typeof pauseMs === 'number' ? pauseMs : pauseMs(tries), signal)
  }
}

/**
 * Waits. If the signal aborts, rejects with its reason, because Node's delay would wrap the reason in an `AbortError`.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
