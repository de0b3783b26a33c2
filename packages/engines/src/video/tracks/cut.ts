import { beginsLate } from '../libav/failures.ts'

// A longer frame is a still image, which may be cut. A shorter frame stays whole, so it exceeds the cut by at most half
// of this time. Billing tolerates this (`startedMinutes`).
const LONGEST_WHOLE_SECONDS = 0.2

// AAC usually starts up to this long before the first frame. Short frames may then be cut later by this time.
const LONGEST_LEAD_SECONDS = 0.05
const LONGEST_LED_FRAME_SECONDS = 0.1

/** Shortens a video. Keeps a frame that is not a still image if more than half of it is before the cut. */
export class Cut {
  isComplete = false
  /** When the last kept frame ends, in ticks. If `undefined`, the frame keeps its own duration. */
  end: bigint | undefined
  readonly #seconds: number
  readonly #cut: number
  readonly #longest: number
  readonly #lead: number
  readonly #longestLed: number
  #reached: bigint | undefined

  /** `first` is the time of the first frame, in ticks. Without `seconds`, all frames are kept. */
  constructor(seconds: number | undefined, { num, den }: { num: number; den: number }, first = 0n) {
    const isLead = first > 0n && (Number(first) * num) / den <= LONGEST_LEAD_SECONDS
    this.#lead = isLead ? Number(first) : 0
    this.#longestLed = (LONGEST_LED_FRAME_SECONDS * den) / num
    this.#seconds = seconds ?? Number.POSITIVE_INFINITY
    this.#cut = (this.#seconds * den) / num
    this.#longest = (LONGEST_WHOLE_SECONDS * den) / num
  }

  /** Returns how long to keep a frame, in ticks, or `undefined` to drop it. */
  take(time: bigint, duration: bigint): bigint | undefined {
    const lasts = Math.max(1, Number(duration))
    const rest = this.#cut + (lasts <= this.#longestLed ? this.#lead : 0) - Number(time)
    if (rest <= 0) {
      if (this.#reached === undefined) throw beginsLate((Number(time) * this.#seconds) / this.#cut, this.#seconds)
      // The last frame lasts until the cut, even if the next frame is much later. A whole frame may exceed the cut.
      const cut = BigInt(Math.round(this.#cut))
      return this.#complete(cut > this.#reached ? cut : this.#reached)
    }
    const kept = this.#kept(lasts, rest)
    if (kept === 0) return this.#complete(time)
    const keptDuration = BigInt(Math.max(1, Math.round(kept)))
    this.#reached = time + keptDuration
    return keptDuration
  }

  #kept(lasts: number, rest: number): number {
    if (lasts <= rest) return lasts
    if (this.#reached === undefined || lasts > this.#longest) return rest
    return 2 * rest > lasts ? lasts : 0
  }

  #complete(end: bigint): undefined {
    this.isComplete = true
    this.end = end
  }
}
