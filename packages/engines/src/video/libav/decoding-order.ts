/** How many packets at most are decoded before one that is shown earlier. That is so of libx264's `veryfast`. */
export const HELD_BACK = 2

/**
 * How packets are timed, in their own units. A packet is decoded at most `lead` before its turn, which is at least `HELD_BACK`
 * times the smallest step that is told, `tick`.
 */
export type Steps = { tick: bigint; lead: bigint }

type Packet = { pts: bigint; dts: bigint }

/**
 * Gives packets their times of decoding. The n-th is decoded `lead` before the n-th frame is shown, or less where the first
 * frames are quicker: libav's muxer begins a track too early when a third packet is decoded before 0 (its `start_cts`).
 *
 * It is decoded earlier only where it is shown itself before that, or one behind it is. For even frames these are the times
 * of x264, if `lead` is two frames. It takes the time at which the second frame before is shown: in a video of slides that is
 * minutes earlier. An MP4 tells its length and what each frame stands for by the steps of decoding, so they are to be those
 * of showing: a slower beginning made a video longer, and libav dropped frames behind two keyframes that seemed to stand until
 * the end. Several codings run into one another by their own times.
 */
export class DecodingOrder<T extends Packet> {
  readonly #steps: Steps
  /** Packets in the order of decoding. They wait until the next three frames to be shown are known. */
  readonly #waiting: T[] = []
  /** When frames are shown whose turn has not come, in order. */
  readonly #turns: bigint[] = []
  #lead: bigint | undefined

  constructor(steps: Steps) {
    this.#steps = steps
  }

  /** Takes the next packet. Returns the one whose time of decoding is settled by it, if there is one. */
  put(packet: T): T | undefined {
    this.#waiting.push(packet)
    const later = this.#turns.findLastIndex((turn) => turn <= packet.pts) + 1
    this.#turns.splice(later, 0, packet.pts)
    return this.#waiting.length > 2 * HELD_BACK ? this.#settle() : undefined
  }

  /** Returns the packets that still wait: no other is going to come. */
  end(): T[] {
    return [...this.#waiting].flatMap(() => this.#settle() ?? [])
  }

  get #firstLead(): bigint {
    const { tick, lead } = this.#steps
    const [first = 0n, , third = first + lead] = this.#turns
    const least = BigInt(HELD_BACK) * tick
    return third - first >= lead ? lead : third - first > least ? third - first : least
  }

  #settle(): T | undefined {
    const { tick } = this.#steps
    const lead = (this.#lead ??= this.#firstLead)
    const turn = this.#turns.shift()
    const latest = this.#waiting.map(({ pts }, behind) => pts - BigInt(behind) * tick)
    const packet = this.#waiting.shift()
    if (packet === undefined || turn === undefined) return undefined
    packet.dts = latest.reduce((least, time) => (time < least ? time : least), turn - lead)
    return packet
  }
}
