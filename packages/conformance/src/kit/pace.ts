import { setTimeout as wait } from 'node:timers/promises'

/** The rate limit in the headers of a key's newest response. */
type Left = { calls: number; resetsAt: number }

/** Delays calls so that each key stays below its rate limit, because parallel checks share keys. */
export class Pace {
  readonly #left = new Map<string, Left>()

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
    // Responses arrive in any order. The response with the fewest remaining calls is the newest.
    const calls = Math.min(Number(remaining), before?.calls ?? Number.POSITIVE_INFINITY)
    this.#left.set(key, { calls: Number(remaining) > 20 ? Number(remaining) - 20 : calls, resetsAt })
  }
}
