/**
 * So many pieces a millisecond are read of all bodies together that come in crumbs. One costs 2 to 3 µs in a chunked
 * body (measured), which makes 4 to 6 % of this process's time.
 */
const PIECES_PER_MS = 20

/** Bounds the time that this process spends on bodies in crumbs. What they owe together is paid one after the other. */
export class Toll {
  readonly #piecesPerMs: number
  readonly #clock: () => number
  #paidUntil = 0

  constructor({ piecesPerMs = PIECES_PER_MS, clock = () => performance.now() } = {}) {
    this.#piecesPerMs = piecesPerMs
    this.#clock = clock
  }

  /** How many milliseconds to leave a body alone that came in so many pieces too many. */
  restMs(pieces: number): number {
    const now = this.#clock()
    // wall: many bodies in crumbs at once
    this.#paidUntil = Math.max(now, this.#paidUntil) + pieces / this.#piecesPerMs
    return this.#paidUntil - now
  }
}

/** The one of this process. */
export const processToll = new Toll()
