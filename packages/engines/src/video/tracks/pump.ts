import { setImmediate as nextTurn } from 'node:timers/promises'
import { AV_NOPTS_VALUE, AV_PKT_FLAG_CORRUPT, AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { Packet } from 'node-av/lib'
import { checkWritten } from '../../protocol/result-file.ts'
import { damaged, endsEarly } from '../libav/failures.ts'
import { LibavError } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { Timeline } from './timeline.ts'

/** What takes the packets of one stream. */
export type Sink = {
  /** Takes a packet; times are corrected for jumps, and still count as the file does. */
  put(packet: Packet): void
  /** Whether it wants no more. */
  isComplete(): boolean
}

/** A sink, and what follows when every packet was put into it. */
export type Lane = { sink: Sink; end: () => void }

export type PumpOptions = {
  media: Media
  writer: Mp4Writer
  sinks: ReadonlyMap<Stream, Sink>
  maxResultBytes: number
  /** Called about four times a second, with the share of the work that is done: 0 to 1. */
  onShare: (share: number) => void
  /** What of the video is wanted, in seconds. */
  wantedSeconds: number | undefined
  /** Whether only some of the streams are read: what is reached then says little of how whole the file is. */
  isPartial?: boolean
}

// How far apart files hold what is seen and heard at once: a track that has ended is not waited for any longer.
const APART_SECONDS = 30

/** How often a long run looks up: libav's calls here block everything else. */
const LOOK_UP_MS = 250

/**
 * Reads the file from its beginning and hands every packet to its stream's sink. It stops at the end, or when no sink
 * wants more.
 *
 * Throws `RequestFailure` for a file that ends before it should, or a result past its limit.
 */
export async function pump(options: PumpOptions): Promise<void> {
  const { media, sinks, writer } = options
  const timeline = new Timeline({ jumps: media.isStream })
  const streams = new Map([...sinks].map(([stream, sink]) => [stream.index, { stream, sink }]))
  using packet = new Packet()
  packet.alloc()
  let reachedSeconds = 0
  let reachedBytes = 0n
  let isCutOff = false
  let lookedUp = performance.now()
  for (;;) {
    const read = media.isWhole ? media.context.readFrameSync(packet) : await media.context.readFrame(packet)
    if (read === AVERROR_EAGAIN) continue
    if (read === AVERROR_EOF) break
    if (read < 0) throw endsEarly(reachedSeconds, media.durationSeconds, new LibavError(read, 'read'))
    if (packet.pos > reachedBytes) reachedBytes = packet.pos
    isCutOff = packet.hasFlags(AV_PKT_FLAG_CORRUPT)
    const target = streams.get(packet.streamIndex)
    if (target !== undefined) {
      reachedSeconds = Math.max(reachedSeconds, correctTimes(packet, target.stream, timeline, media))
      if (!target.sink.isComplete()) target.sink.put(packet)
    }
    packet.unref()
    if ([...sinks.values()].every((sink) => sink.isComplete())) return
    if (options.wantedSeconds !== undefined && reachedSeconds > options.wantedSeconds + APART_SECONDS) return
    const now = performance.now()
    if (now - lookedUp < LOOK_UP_MS) continue
    lookedUp = now
    checkWritten(writer.bytes, options, SHORTER)
    options.onShare(shareOf(options, reachedSeconds, reachedBytes))
    await nextTurn()
  }
  if (options.isPartial !== true || isCutOff) checkWholeness(media, reachedSeconds, isCutOff)
}

/** Puts right the times of a packet where they jump. Returns the second of playing at which it ends. */
export function correctTimes(packet: Packet, { timeBase }: Stream, timeline: Timeline, media: Media): number {
  const known = (ticks: bigint) => (ticks === AV_NOPTS_VALUE ? undefined : ticks)
  const times = { pts: known(packet.pts), dts: known(packet.dts), duration: packet.duration }
  const correction = timeline.correction(packet.streamIndex, times, timeBase)
  if (packet.pts !== AV_NOPTS_VALUE) packet.pts += correction
  if (packet.dts !== AV_NOPTS_VALUE) packet.dts += correction
  const ticks = known(packet.pts) ?? known(packet.dts)
  if (ticks === undefined) return 0
  return (Number(ticks + packet.duration) * timeBase.num) / timeBase.den - Number(media.startUs) / 1e6
}

/** By time, or by bytes where the file does not say how long it is. */
function shareOf({ media, wantedSeconds }: PumpOptions, reachedSeconds: number, reachedBytes: bigint): number {
  const whole = wantedSeconds ?? media.durationSeconds
  return Math.min(1, whole === undefined ? Number(reachedBytes) / media.size : reachedSeconds / whole)
}

/** What a client can do about a result that is too large. */
export const SHORTER = 'Use max_duration, or a resize to fewer pixels.'

/**
 * Refuses a file that stops before its header says. A part of a video that looks like the whole helps nobody.
 *
 * Broadcasts have no such header and may begin and end anywhere. Some headers count subtitles that run on, so that a
 * tenth less is let pass, unless the file ends within a packet.
 */
export function checkWholeness({ durationSeconds, isStream }: Media, reachedSeconds: number, isCutOff: boolean): void {
  if (reachedSeconds <= 0) throw damaged(new Error('no packet of the video could be read'))
  if (isStream || durationSeconds === undefined) return
  if (isCutOff || reachedSeconds < durationSeconds * 0.9 - 0.5) throw endsEarly(reachedSeconds, durationSeconds)
}
