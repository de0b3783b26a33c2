import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  /** The milliseconds before the next try. `tries` is the number of failures so far. */
  pauseMs: number | ((tries: number) => number)
  /** Called after each failure. To stop, it throws. */
  onFailure: (error: unknown, tries: number) => void | Promise<void>
  /** Ends the pause, and makes the result reject with its reason. */
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

/** Waits. If the signal aborts, rejects with its reason, which Node's own delay would wrap in an `AbortError`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
