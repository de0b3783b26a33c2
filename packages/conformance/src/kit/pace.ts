import { setTimeout as wait } from 'node:timers/promises'

/** How many calls of a key are left in its minute, as its last answer said. */
type Left = { calls: number; resetsAt: number }

/** Keeps calls below the rate of their key. No check is refused for what others have used up. */
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
    // Answers overtake one another: the lowest figure is the youngest.
    const calls = Math.min(Number(remaining), before?.calls ?? Number.POSITIVE_INFINITY)
    this.#left.set(key, { calls: Number(remaining) > 20 ? Number(remaining) - 20 : calls, resetsAt })
  }
}
