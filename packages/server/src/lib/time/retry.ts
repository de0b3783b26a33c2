import { setTimeout as delay } from 'node:timers/promises'

export type RetryOptions = {
  /** Milliseconds between a failure and the next try; `tries` is how many failed so far, from 1. */
  pauseMs: number | ((tries: number) => number)
  /** Looks at each failure: throws what ends the tries, or returns and has another one made. */
  onFailure: (error: unknown, tries: number) => void | Promise<void>
  /** Ends the pauses: the promise rejects with its reason. */
  signal?: AbortSignal | undefined
}

/** Does `work` until it succeeds, its failure is final, or the signal ends the tries. */
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

/** Waits; rejects with the signal's own reason, where Node's would wrap it in an `AbortError`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
