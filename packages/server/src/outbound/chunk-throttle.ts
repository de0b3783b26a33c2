const CHUNKS_PER_MS = 20

/** Limits the CPU time for bodies that arrive in tiny chunks. All bodies of the process share one limit. */
export class ChunkThrottle {
  readonly #chunksPerMs: number
  readonly #clock: () => number
  #paidUntil = 0

  constructor({ chunksPerMs = CHUNKS_PER_MS, clock = () => performance.now() } = {}) {
    this.#chunksPerMs = chunksPerMs
    this.#clock = clock
  }

  pauseMs(chunks: number): number {
    const now = this.#clock()
    // security check: many bodies in tiny chunks at once
    this.#paidUntil = Math.max(now, this.#paidUntil) + chunks / this.#chunksPerMs
    return this.#paidUntil - now
  }
}

export const processThrottle = new ChunkThrottle()
