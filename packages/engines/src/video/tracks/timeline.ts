import type { IRational } from 'node-av/lib'

/** The times of a packet, in ticks of the stream. A missing time is `undefined`. */
type Times = { pts: bigint | undefined; dts: bigint | undefined; duration: bigint }

// Joined broadcasts restart their clock. As in ffmpeg, a step of 10 s forward is a jump. A step back is a jump, because
// packets are in decoding order, but damaged files contain small steps back.
const AHEAD_SECONDS = 10
const BACK_SECONDS = 0.5
// After the same jump, the corrections of two streams differ by less than this time.
const TOGETHER_SECONDS = 1

/** Removes time jumps from MPEG-TS and MPEG-PS, and keeps streams in sync. */
export class Timeline {
  readonly #jumps: boolean
  readonly #streams = new Map<number, { offset: number; end: number }>()
  #latestOffset = 0

  /** `offsetSeconds` corrects the jumps before the position where reading starts. */
  constructor({ jumps, offsetSeconds = 0 }: { jumps: boolean; offsetSeconds?: number }) {
    this.#jumps = jumps
    this.#latestOffset = offsetSeconds
  }

  /** Returns the correction in seconds if all streams have the same correction. */
  get agreedOffset(): number | undefined {
    const isAgreed = [...this.#streams.values()].every(({ offset }) => offset === this.#latestOffset)
    return isAgreed ? this.#latestOffset : undefined
  }

  /** Returns how much to add to the times of a packet, in ticks of the stream. */
  correction(stream: number, { pts, dts, duration }: Times, { num, den }: IRational): bigint {
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

/** Makes the times of frames increase, as encoders require. */
export class FrameClock {
  #last: bigint | undefined
  #lastDuration = 1n

  next(pts: bigint | undefined, duration: bigint): bigint | undefined {
    const time = pts ?? (this.#last === undefined ? 0n : this.#last + this.#lastDuration)
    if (this.#last !== undefined && time <= this.#last) return undefined
    this.#last = time
    if (duration > 0n) this.#lastDuration = duration
    return time
  }
}
