const PIECES_PER_MS = 20

/** Limits the CPU time for bodies that arrive in tiny chunks. All bodies of the process share one limit. */
export class ChunkThrottle {
  readonly #piecesPerMs: number
  readonly #clock: () => number
  #paidUntil = 0

  constructor({ piecesPerMs = PIECES_PER_MS, clock = () => performance.now() } = {}) {
    this.#piecesPerMs = piecesPerMs
    this.#clock = clock
  }

  pauseMs(pieces: number): number {
    const now = this.#clock()
    // security check: many bodies in tiny chunks at once
    this.#paidUntil = Math.max(now, this.#paidUntil) + pieces / this.#piecesPerMs
    return this.#paidUntil - now
  }
}

export const processThrottle = new ChunkThrottle()
