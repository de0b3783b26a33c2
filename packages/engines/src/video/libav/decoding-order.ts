import type { Packet } from 'node-av/lib'

/**
 * With libx264's preset `veryfast`, at most this many packets precede a packet in decoding order, but follow it in
 * display order.
 */
export const HELD_BACK = 2

/**
 * The limits of decoding times. `tick` is the shortest interval between two packets. `lead` is the maximum time from
 * the decoding of a frame to its display.
 */
export type Steps = { tick: bigint; lead: bigint }

type Timed = { pts: bigint; dts: bigint }

/**
 * Assigns decoding times: packet n is decoded `lead` before the n-th frame is displayed. Reduces `lead` if otherwise
 * the third packet would be decoded before time 0, because libav's muxer would start the track too early (`start_cts`).
 */
export class DecodingOrder<T extends Timed> {
  readonly #steps: Steps
  readonly #waiting: T[] = []
  readonly #turns: bigint[] = []
  #lead: bigint | undefined

  constructor(steps: Steps) {
    this.#steps = steps
  }

  put(packet: T): T | undefined {
    this.#waiting.push(packet)
    const later = this.#turns.findLastIndex((turn) => turn <= packet.pts) + 1
    this.#turns.splice(later, 0, packet.pts)
    return this.#waiting.length > 2 * HELD_BACK ? this.#settle() : undefined
  }

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

/** The times of a track. `end` is the latest end of a packet. */
export type Span = { start: bigint; last: bigint; end: bigint; firstDts: bigint }

/** Gives the track the same length in decoding and display order: until `wanted`, or else the end of `span`. */
export function placeLast(packet: Packet, span: Omit<Span, 'last'>, wanted: bigint | undefined): void {
  const end = wanted ?? span.end
  const length = end - (span.start - span.firstDts)
  const { pts, dts } = packet
  const duration = end > span.end ? end - pts : packet.duration
  const latest = length - duration < pts ? length - duration : pts
  if (latest > dts) packet.dts = latest
  if (length > packet.dts) packet.duration = length - packet.dts
}
