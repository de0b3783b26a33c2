import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  /** Milliseconds between a failure and the next try. `tries` counts the failures, from 1. */
  pauseMs: number | ((tries: number) => number)
  /** Called for each failure: throws to stop, or returns to try again. */
  onFailure: (error: unknown, tries: number) => void | Promise<void>
  /** Ends a pause. The promise rejects with the signal's reason. */
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

/** Waits. Rejects with the signal's own reason. Node's delay would wrap it in an `AbortError`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
