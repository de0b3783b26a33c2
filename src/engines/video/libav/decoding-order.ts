// What libx264's preset `veryfast` holds back: frames between others may be referred to.
const HELD_BACK = 2

/**
 * Gives packets their times of decoding, as x264 does. They are the times of showing in order, later by as many frames
 * as are held back.
 *
 * Each part was given its own, and where frames are of different lengths those of two parts run into one another.
 */
export class DecodingOrder {
  /** Times of showing that are no packet's time of decoding yet, in order. */
  readonly #pending: bigint[] = []
  readonly #tick: bigint
  #firstShown: bigint | undefined
  #first: bigint | undefined
  /** The packets that were decoded before the first frame is shown, and when the last of them was. */
  #ahead = 0
  #lastAhead: bigint | undefined
  #isDelayKnown = false

  /** `tick` is the smallest step of times that is told. */
  constructor(tick = 1n) {
    this.#tick = tick
  }

  /** The time of decoding of the first packet. */
  get first(): bigint {
    return this.#first ?? 0n
  }

  /** The time of decoding of the next packet, which is shown at `pts`. `own` is that of its part. */
  next(pts: bigint, own: bigint): bigint {
    this.#insert(pts)
    this.#firstShown ??= pts
    const time = this.#aheadOf(this.#firstShown, own) ?? this.#pending.shift() ?? own
    this.#first ??= time
    return time
  }

  /** The time of a packet that is decoded before the first frame is shown; how many are is known of the first part alone. */
  #aheadOf(firstShown: bigint, own: bigint): bigint | undefined {
    if (this.#isDelayKnown) return undefined
    // A part of one or two frames holds none back, but those behind it do.
    const time = own < firstShown ? own : firstShown - BigInt(HELD_BACK - this.#ahead) * this.#tick
    const isRising = this.#lastAhead === undefined || time > this.#lastAhead
    if (time >= firstShown || !isRising) {
      this.#isDelayKnown = true
      return undefined
    }
    this.#ahead += 1
    this.#lastAhead = time
    return time
  }

  #insert(pts: bigint): void {
    let place = this.#pending.length
    while (place > 0 && (this.#pending[place - 1] ?? pts) > pts) place -= 1
    this.#pending.splice(place, 0, pts)
  }
}
