import { beginsLate } from '../libav/failures.ts'

// A frame longer than this is a still that may be cut anywhere; half of one is what a result may be past its second,
// and what billing lets pass (`startedMinutes`).
const LONGEST_WHOLE_SECONDS = 0.2

// Encoded sound begins up to this long before the first frame, as AAC does in most containers. Short frames are then cut
// as much later. The last of them ends past the cut by that and half a frame at most: together what billing lets pass.
const LONGEST_LEAD_SECONDS = 0.05
const LONGEST_LED_FRAME_SECONDS = 0.1

/**
 * Decides which frames lie before a cut, and where the last of them ends. A video is cut at a second.
 *
 * Frames are kept or left out whole, by where more than half of one lies, so that the rate stays what it was.
 */
export class Cut {
  /** Whether a frame was left out: none is wanted any more. */
  isComplete = false
  /** Where the last frame that was kept ends, in ticks; `undefined` when it ends by itself. */
  end: bigint | undefined
  readonly #seconds: number
  readonly #cut: number
  readonly #longest: number
  readonly #lead: number
  readonly #longestLed: number
  #reached: bigint | undefined

  /**
   * Keeps everything when `seconds` is `undefined`. Ticks are those of `timeBase`; `first` is the time of the picture's
   * first frame, which a little sound may come before.
   */
  constructor(seconds: number | undefined, { num, den }: { num: number; den: number }, first = 0n) {
    const isLead = first > 0n && (Number(first) * num) / den <= LONGEST_LEAD_SECONDS
    this.#lead = isLead ? Number(first) : 0
    this.#longestLed = (LONGEST_LED_FRAME_SECONDS * den) / num
    this.#seconds = seconds ?? Number.POSITIVE_INFINITY
    this.#cut = (this.#seconds * den) / num
    this.#longest = (LONGEST_WHOLE_SECONDS * den) / num
  }

  /** How long the frame at `time` stands; `undefined` when it is left out. Throws when there is none before the cut. */
  take(time: bigint, duration: bigint): bigint | undefined {
    const lasts = Math.max(1, Number(duration))
    const rest = this.#cut + (lasts <= this.#longestLed ? this.#lead : 0) - Number(time)
    if (rest <= 0) {
      if (this.#reached === undefined) throw beginsLate((Number(time) * this.#seconds) / this.#cut, this.#seconds)
      // What was kept last stands until the cut, however late this one comes; a whole frame may reach past it.
      const cut = BigInt(Math.round(this.#cut))
      return this.#complete(cut > this.#reached ? cut : this.#reached)
    }
    const kept = this.#kept(lasts, rest)
    if (kept === 0) return this.#complete(time)
    const stands = BigInt(Math.max(1, Math.round(kept)))
    this.#reached = time + stands
    return stands
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
