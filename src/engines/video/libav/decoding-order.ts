// What libx264's preset `veryfast` holds back: frames between others may be referred to.
const HELD_BACK = 2

/** Steps in the units of packets. `tick` is the smallest one that is told; a frame stands for about `frame`. */
export type Steps = { tick?: bigint; frame: bigint }

/**
 * Gives packets their times of decoding, as x264 does. They are the times of showing in order, later by as many frames
 * as are held back.
 *
 * Each part was given its own, and where frames are of different lengths those of two parts run into one another. And a
 * file tells its length by the steps of decoding too: frames that stand long at its beginning would make it longer.
 */
export class DecodingOrder {
  /** Times of showing that are no packet's time of decoding yet, in order. */
  readonly #pending: bigint[] = []
  readonly #tick: bigint
  readonly #longestAhead: bigint
  readonly #isOneCoding: boolean
  #firstShown: bigint | undefined
  #first: bigint | undefined
  /** The packets that were decoded before the first frame is shown, and when the last of them was. */
  #ahead = 0
  #lastAhead: bigint | undefined
  #isOwnKept = true
  #isDelayKnown = false

  /** `isOneCoding`: no packet of another coding is going to come. */
  constructor({ tick = 1n, frame }: Steps, { isOneCoding = false } = {}) {
    this.#tick = tick
    this.#longestAhead = (BigInt(2 * HELD_BACK + 1) * frame) / 2n
    this.#isOneCoding = isOneCoding
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
    const isAhead = own < firstShown
    if (this.#ahead === 0) this.#isOwnKept = firstShown - own <= this.#longestAhead
    // A part of one or two frames holds none back, but those behind it do.
    const time = isAhead && this.#isOwnKept ? own : firstShown - BigInt(HELD_BACK - this.#ahead) * this.#tick
    const isRising = this.#lastAhead === undefined || time > this.#lastAhead
    if (time >= firstShown || !isRising || (this.#isOneCoding && !isAhead)) {
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
