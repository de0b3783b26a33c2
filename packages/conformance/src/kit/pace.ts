import { setTimeout as wait } from 'node:timers/promises'

/** The remaining calls of a key in this minute, from its last response. */
type Left = { calls: number; resetsAt: number }

/** Keeps calls below the rate limit of their key, so that checks do not affect each other. */
export class Pace {
  readonly #left = new Map<string, Left>()

  /** Resolves once a call of the key may be made. */
  async turn(key: string): Promise<void> {
    for (;;) {
      const left = this.#left.get(key)
      if (left === undefined || left.resetsAt <= Date.now()) break
      if (left.calls > 0) {
        left.calls -= 1
        return
      }
      await wait(left.resetsAt - Date.now() + 100)
      this.#left.delete(key)
    }
  }

  note(key: string, headers: Headers): void {
    const remaining = headers.get('x-ratelimit-remaining')
    const seconds = /t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]
    if (remaining === null || seconds === undefined) return
    const before = this.#left.get(key)
    const resetsAt = Date.now() + Number(seconds) * 1000
    // Responses can arrive out of order. The lowest number is the latest.
    const calls = Math.min(Number(remaining), before?.calls ?? Number.POSITIVE_INFINITY)
    this.#left.set(key, { calls: Number(remaining) > 20 ? Number(remaining) - 20 : calls, resetsAt })
  }
}
