/**
 * Gives packets their times of decoding, as x264 does. They are the times of showing in order, later by as many frames
 * as are held back.
 *
 * Each part was given its own, and where frames are of different lengths those of two parts run into one another.
 */
export class DecodingOrder {
  /** Times of showing that are no packet's time of decoding yet, in order. */
  readonly #pending: bigint[] = []
  #firstShown: bigint | undefined
  #first: bigint | undefined
  #isDelayKnown = false

  /** The time of decoding of the first packet. */
  get first(): bigint {
    return this.#first ?? 0n
  }

  /** The time of decoding of the next packet, which is shown at `pts`. `own` is that of its part. */
  next(pts: bigint, own: bigint): bigint {
    this.#insert(pts)
    this.#firstShown ??= pts
    this.#first ??= own
    // Before the first frame is shown, so many are decoded as are held back. How many is known of the first part alone.
    if (!this.#isDelayKnown && own < this.#firstShown) return own
    this.#isDelayKnown = true
    return this.#pending.shift() ?? own
  }

  #insert(pts: bigint): void {
    let place = this.#pending.length
    while (place > 0 && (this.#pending[place - 1] ?? pts) > pts) place -= 1
    this.#pending.splice(place, 0, pts)
  }
}
