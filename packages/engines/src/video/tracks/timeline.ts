/** A packet's times in its stream's own units, as libav has them. It is `undefined` where it has none. */
export type Times = { pts: bigint | undefined; dts: bigint | undefined; duration: bigint }

type Base = { num: number; den: number }

// Broadcasts cut together count from somewhere else at each cut. ffmpeg takes 10 seconds ahead for such a jump, and what
// lies back is one at once: packets of a stream come in the order of decoding. Half a second is left to damage.
const AHEAD_SECONDS = 10
const BACK_SECONDS = 0.5
// Streams that jump together land within a second of where they should, seen from one another.
const TOGETHER_SECONDS = 1

/**
 * Makes the times of a broadcast run on where they jump. It keeps its streams together.
 *
 * Only for formats whose times may jump (MPEG-TS and MPEG-PS); elsewhere a gap is a gap.
 */
export class Timeline {
  readonly #jumps: boolean
  readonly #streams = new Map<number, { offset: number; end: number }>()
  #latestOffset = 0

  /** `offsetSeconds` is what times have been put right by where reading begins: none at a file's beginning. */
  constructor({ jumps, offsetSeconds = 0 }: { jumps: boolean; offsetSeconds?: number }) {
    this.#jumps = jumps
    this.#latestOffset = offsetSeconds
  }

  /** What times are put right by, where all streams that were seen agree on it. */
  get agreedOffset(): number | undefined {
    const isAgreed = [...this.#streams.values()].every(({ offset }) => offset === this.#latestOffset)
    return isAgreed ? this.#latestOffset : undefined
  }

  /** What is to be added to the times of a stream's next packet, in the stream's units. */
  correction(stream: number, { pts, dts, duration }: Times, { num, den }: Base): bigint {
    const ticks = dts ?? pts
    if (!this.#jumps || ticks === undefined) return 0n
    const inSeconds = (value: bigint) => (Number(value) * num) / den
    const raw = inSeconds(ticks)
    const known = this.#streams.get(stream)
    let offset = known?.offset ?? this.#latestOffset
    if (known !== undefined && isJump(raw + offset - known.end)) {
      const isWithOthers = Math.abs(raw + this.#latestOffset - known.end) <= TOGETHER_SECONDS
      offset = isWithOthers ? this.#latestOffset : known.end - raw
      this.#latestOffset = offset
    }
    this.#streams.set(stream, { offset, end: raw + offset + inSeconds(duration) })
    return BigInt(Math.round((offset * den) / num))
  }
}

const isJump = (seconds: number) => seconds > AHEAD_SECONDS || seconds < -BACK_SECONDS

/**
 * Gives every frame a time after the one before. An encoder needs that, and a damaged file does not promise it.
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
