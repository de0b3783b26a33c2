import type { Packet } from 'node-av/lib'

/** The times of a track's packets. `start` is when the first is shown, `last` the last, `end` the latest end of any. */
export type Span = { start: bigint; last: bigint; end: bigint; firstDts: bigint }

/**
 * Places the last packet of a track so that its end is told alike twice.
 *
 * It need not be the last to be shown, and an MP4 tells its length by the order of decoding, up to the end of that packet,
 * and by the latest end of any. `wanted` is where the last frame stands until; as long as it says itself unless given.
 */
export function placeLast(packet: Packet, span: Omit<Span, 'last'>, wanted: bigint | undefined): void {
  const end = wanted ?? span.end
  const length = end - (span.start - span.firstDts)
  const { pts, dts } = packet
  const duration = end > span.end ? end - pts : packet.duration
  const latest = length - duration < pts ? length - duration : pts
  if (latest > dts) packet.dts = latest
  if (length > packet.dts) packet.duration = length - packet.dts
}
