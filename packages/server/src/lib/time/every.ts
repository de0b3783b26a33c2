import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs `work` again and again, `intervalMs` after its last end. It varies by ±10 %, so that many processes do not march
 * in step.
 */
export function every(intervalMs: number, signal: AbortSignal, work: () => Promise<void>): void {
  void (async () => {
    while (!signal.aborted) {
      await delay(intervalMs * (0.9 + Math.random() * 0.2), undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await work()
    }
  })()
}
