/** Limits how many tasks of one kind run at the same time. Tasks start in the order in which they arrive. */
export class Slots {
  #limit: number
  #fetchLimit: (() => Promise<number | undefined>) | undefined
  #used = 0
  readonly #queue = new Set<() => void>()

  /** `fetchLimit` fetches the account's limit. It is called when a task has to wait for the first time. */
  constructor(limit: number, fetchLimit?: () => Promise<number | undefined>) {
    this.#limit = limit
    this.#fetchLimit = fetchLimit
  }

  /** Waits for a free slot, and returns a function that frees the slot. Calling this function again has no effect. */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#used >= this.#limit || this.#queue.size > 0) await this.#wait(signal)
    else this.#used += 1
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      this.#used -= 1
      this.#admit()
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const fetched = this.#fetchLimit?.()
    this.#fetchLimit = undefined
    fetched?.then(
      (limit) => {
        if (limit === undefined) return
        this.#limit = Math.max(1, limit)
        this.#admit()
      },
      () => {},
    )
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#queue.delete(start)
        reject(signal?.reason as Error)
      }
      const start = () => {
        signal?.removeEventListener('abort', end)
        resolve()
      }
      signal?.addEventListener('abort', end)
      this.#queue.add(start)
    })
  }

  #admit(): void {
    for (const start of this.#queue) {
      if (this.#used >= this.#limit) return
      this.#queue.delete(start)
      this.#used += 1
      start()
    }
  }
}
