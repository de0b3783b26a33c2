import type { Packet } from 'node-av/lib'

/** The times of a track: its first and last display time, its latest end, and its first decoding time. */
export type Span = { start: bigint; last: bigint; end: bigint; firstDts: bigint }

/** Sets the times of the last packet so that the track has the same length in decoding and display order. */
export function placeLast(packet: Packet, span: Omit<Span, 'last'>, wanted: bigint | undefined): void {
  const end = wanted ?? span.end
  const length = end - (span.start - span.firstDts)
  const { pts, dts } = packet
  const duration = end > span.end ? end - pts : packet.duration
  const latest = length - duration < pts ? length - duration : pts
  if (latest > dts) packet.dts = latest
  if (length > packet.dts) packet.duration = length - packet.dts
}
