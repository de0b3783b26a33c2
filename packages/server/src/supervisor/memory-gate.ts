type Waiter = { bytes: number; enter: () => void }

export class MemoryGate {
  readonly #budgetBytes: number
  readonly #waiting = new Set<Waiter>()
  #heldBytes = 0

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  async enter(bytes: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const claimed = Math.min(bytes, this.#budgetBytes)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { bytes: claimed, enter: resolve }
    const leave = () => {
      // If the job was already admitted, the code of the job frees its memory.
      if (this.#waiting.delete(waiter)) this.#admit()
      reject(signal.reason)
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', leave, { once: true })
    this.#admit()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#heldBytes -= claimed
        this.#admit()
      },
    }
  }

  /** Admits waiting jobs in order. A small job does not overtake a large job, which might otherwise never start. */
  #admit(): void {
    for (const waiter of this.#waiting) {
      // security check: more jobs than memory
      if (this.#heldBytes + waiter.bytes > this.#budgetBytes) return
      this.#waiting.delete(waiter)
      this.#heldBytes += waiter.bytes
      waiter.enter()
    }
  }
}
