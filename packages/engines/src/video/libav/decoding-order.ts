import type { Packet } from 'node-av/lib'

/**
 * With libx264's preset `veryfast`, at most this many packets precede a packet in decoding order, but follow it in
 * display order.
 */
export const MAX_REORDERED_PACKETS = 2

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
  readonly #displayTimes: bigint[] = []
  #lead: bigint | undefined

  constructor(steps: Steps) {
    this.#steps = steps
  }

  put(packet: T): T | undefined {
    this.#waiting.push(packet)
    const later = this.#displayTimes.findLastIndex((displayTime) => displayTime <= packet.pts) + 1
    this.#displayTimes.splice(later, 0, packet.pts)
    return this.#waiting.length > 2 * MAX_REORDERED_PACKETS ? this.#settle() : undefined
  }

  end(): T[] {
    return [...this.#waiting].flatMap(() => this.#settle() ?? [])
  }

  get #firstLead(): bigint {
    const { tick, lead } = this.#steps
    const [first = 0n, , third = first + lead] = this.#displayTimes
    const minLead = BigInt(MAX_REORDERED_PACKETS) * tick
    return third - first >= lead ? lead : third - first > minLead ? third - first : minLead
  }

  #settle(): T | undefined {
    const { tick } = this.#steps
    const lead = (this.#lead ??= this.#firstLead)
    const displayTime = this.#displayTimes.shift()
    const latest = this.#waiting.map(({ pts }, behind) => pts - BigInt(behind) * tick)
    const packet = this.#waiting.shift()
    if (packet === undefined || displayTime === undefined) return undefined
    packet.dts = latest.reduce((earliest, time) => (time < earliest ? time : earliest), displayTime - lead)
    return packet
  }
}

/** The times of a track. `end` is the latest end of a packet. */
export type Span = { start: bigint; last: bigint; end: bigint; firstDts: bigint }

/** Gives the track the same length in decoding and display order: until `trackEnd`, or else the end of `span`. */
export function setLastDuration(packet: Packet, span: Omit<Span, 'last'>, trackEnd: bigint | undefined): void {
  const end = trackEnd ?? span.end
  const length = end - (span.start - span.firstDts)
  const { pts, dts } = packet
  const duration = end > span.end ? end - pts : packet.duration
  const latest = length - duration < pts ? length - duration : pts
  if (latest > dts) packet.dts = latest
  if (length > packet.dts) packet.duration = length - packet.dts
}
