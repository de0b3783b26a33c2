/** Times of a stream in its own units, as libav has them; `undefined` where it has none. */
export type Times = { pts: bigint | undefined; dts: bigint | undefined }

// ffmpeg's own bound: broadcasts jump by more where one recording ends and the next begins.
const JUMP_SECONDS = 10

type Base = { num: number; den: number }

/**
 * Makes the times of a broadcast run on where they jump: streams cut together count from somewhere else.
 *
 * Only for formats whose times may jump (MPEG-TS and MPEG-PS); elsewhere a gap is a gap.
 */
export class Timeline {
  readonly #jumps: boolean
  #offsetSeconds = 0
  #lastSeconds: number | undefined

  constructor(options: { jumps: boolean }) {
    this.#jumps = options.jumps
  }

  /** What is to be added to the packet's times, in the stream's units. */
  correction({ pts, dts }: Times, base: Base): bigint {
    const ticks = dts ?? pts
    if (!this.#jumps || ticks === undefined) return this.#inTicks(base)
    const seconds = (Number(ticks) * base.num) / base.den + this.#offsetSeconds
    if (this.#lastSeconds !== undefined && Math.abs(seconds - this.#lastSeconds) > JUMP_SECONDS) {
      this.#offsetSeconds += this.#lastSeconds - seconds
    } else {
      this.#lastSeconds = seconds
    }
    return this.#inTicks(base)
  }

  #inTicks({ num, den }: Base): bigint {
    return BigInt(Math.round((this.#offsetSeconds * den) / num))
  }
}

/**
 * Gives every frame a time after the one before: what an encoder needs, and what a damaged file does not promise.
 *
 * A frame at or before the last one's time is dropped: it would stand for no time. One without a time follows the last.
 */
export class FrameClock {
  #last: bigint | undefined
  #lastDuration = 1n

  /** The frame's time, or `undefined` when it is to be dropped. */
  next(pts: bigint | undefined, duration: bigint): bigint | undefined {
    const time = pts ?? (this.#last === undefined ? 0n : this.#last + this.#lastDuration)
    if (this.#last !== undefined && time <= this.#last) return undefined
    this.#last = time
    if (duration > 0n) this.#lastDuration = duration
    return time
  }
}
