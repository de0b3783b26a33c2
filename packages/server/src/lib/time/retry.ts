import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  pauseMs: number | ((tries: number) => number)
  onFailure: (error: unknown, tries: number) => void | Promise<void>
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

/** Waits. If the signal aborts, rejects with the signal's reason. Node's own delay would reject with `AbortError`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
