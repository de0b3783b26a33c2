/** A packet's times in its stream's time base. `undefined` for a time that the packet does not have. */
export type Times = { pts: bigint | undefined; dts: bigint | undefined; duration: bigint }

type Base = { num: number; den: number }

// Concatenated broadcasts restart their clock. As in ffmpeg, 10 seconds ahead is a jump. Any step back is a jump too,
// because packets are in decoding order, but half a second of tolerance allows for damage.
const AHEAD_SECONDS = 10
const BACK_SECONDS = 0.5
// After a common jump, streams agree within a second.
const TOGETHER_SECONDS = 1

/**
 * Removes time jumps from MPEG-TS and MPEG-PS, and keeps their streams in sync. In other formats, a gap stays a gap.
 */
export class Timeline {
  readonly #jumps: boolean
  readonly #streams = new Map<number, { offset: number; end: number }>()
  #latestOffset = 0

  /** `offsetSeconds` is added to the times of the first packet: 0 at the start of a file. */
  constructor({ jumps, offsetSeconds = 0 }: { jumps: boolean; offsetSeconds?: number }) {
    this.#jumps = jumps
    this.#latestOffset = offsetSeconds
  }

  /** Returns the correction in seconds on which all streams agree, or `undefined` if they disagree. */
  get agreedOffset(): number | undefined {
    const isAgreed = [...this.#streams.values()].every(({ offset }) => offset === this.#latestOffset)
    return isAgreed ? this.#latestOffset : undefined
  }

  /** Returns the correction to add to the next packet of a stream, in the stream's time base. */
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

/** Assigns each frame a later time than the previous frame, because encoders require increasing times. */
export class FrameClock {
  #last: bigint | undefined
  #lastDuration = 1n

  /** Returns the frame's time, or `undefined` if the frame must be dropped. */
  next(pts: bigint | undefined, duration: bigint): bigint | undefined {
    const time = pts ?? (this.#last === undefined ? 0n : this.#last + this.#lastDuration)
    if (this.#last !== undefined && time <= this.#last) return undefined
    this.#last = time
    if (duration > 0n) this.#lastDuration = duration
    return time
  }
}
