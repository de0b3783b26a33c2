import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AVMediaType } from 'node-av/constants'
import {
  AV_NOPTS_VALUE,
  AV_PKT_FLAG_CORRUPT,
  AVDISCARD_DEFAULT,
  AVERROR_EOF,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { checkWritten } from '../../protocol/result-file.ts'
import { damaged, endsEarly, SHORTER } from '../libav/failures.ts'
import { LibavError, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { readPacket } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { TrackChanges } from '../libav/track-changes.ts'
import { Timeline } from './timeline.ts'

export type Sink = {
  /** Accepts a packet. Its times are corrected, in ticks of the stream. */
  put(packet: Packet): void
  isComplete(): boolean
}

export type TrackPipeline = { sink: Sink; end: () => void }

type PumpOptions = {
  media: Media
  writer: Mp4Writer
  sinks: ReadonlyMap<Stream, Sink>
  maxResultBytes: number
  /** Accepts the share of the work that is done, 0 to 1. Called about four times per second. */
  onShare: (share: number) => void
  /** How much of the file is needed. If `undefined`, the whole file is read. */
  neededSeconds: number | undefined
  /** Whether only some streams are read. The position then does not show whether the file is truncated. */
  isPartial?: boolean
}

// Audio and video of the same time can be this far apart. A track without a packet for longer has ended.
export const MAX_TRACK_GAP_SECONDS = 30

/** How often to report progress and yield to the event loop, which calls of libav block. */
export const PROGRESS_INTERVAL_MS = 250

export async function pump(options: PumpOptions): Promise<void> {
  const { media, sinks, writer } = options
  const timeline = new Timeline({ jumps: media.isStream })
  const streams = new Map([...sinks].map(([stream, sink]) => [stream.index, { stream, sink }]))
  const otherTracks = options.isPartial === true ? new Map<number, Stream>() : readOtherTracks(media)
  const changes = options.isPartial === true ? undefined : new TrackChanges(media)
  using packet = newPacket()
  let reachedSeconds = 0
  let otherTracksSeconds = 0
  let reachedBytes = 0n
  let isCutOff = false
  let reportedAt = performance.now()
  for (;;) {
    const read = await readPacket(media, packet)
    if (read === AVERROR_EOF) break
    if (read < 0) throw endsEarly(reachedSeconds, media.durationSeconds, new LibavError(read, 'read'))
    if (packet.pos > reachedBytes) reachedBytes = packet.pos
    isCutOff = packet.hasFlags(AV_PKT_FLAG_CORRUPT)
    changes?.check(packet, reachedSeconds)
    const target = streams.get(packet.streamIndex)
    if (target !== undefined) {
      reachedSeconds = Math.max(reachedSeconds, correctTimes(packet, target.stream, timeline, media))
      if (!target.sink.isComplete()) target.sink.put(packet)
    }
    const other = otherTracks.get(packet.streamIndex)
    if (other !== undefined)
      otherTracksSeconds = Math.max(otherTracksSeconds, otherReach(packet, other, timeline, media))
    packet.unref()
    if ([...sinks.values()].every((sink) => sink.isComplete())) return
    if (options.neededSeconds !== undefined && reachedSeconds > options.neededSeconds + MAX_TRACK_GAP_SECONDS) return
    const now = performance.now()
    if (now - reportedAt < PROGRESS_INTERVAL_MS) continue
    reportedAt = now
    checkWritten(writer.bytes, options, SHORTER)
    options.onShare(shareOf(options, reachedSeconds, reachedBytes))
    await nextTurn()
  }
  changes?.checkEnd(reachedSeconds)
  if (options.isPartial !== true || isCutOff)
    checkComplete(media, Math.max(reachedSeconds, otherTracksSeconds), isCutOff)
}

/**
 * Makes libav read the other tracks too if only the duration of the file is known, because another track may be the
 * longest. Returns these other tracks by index.
 */
export function readOtherTracks({ context, video, audio, tracksSeconds }: Media): Map<number, Stream> {
  if (tracksSeconds !== undefined) return new Map()
  const otherTracks = context.streams.filter(
    ({ index, codecpar }) =>
      index !== video.index && index !== audio?.index && LASTING_TYPES.includes(codecpar.codecType),
  )
  for (const other of otherTracks) other.discard = AVDISCARD_DEFAULT
  return new Map(otherTracks.map((other) => [other.index, other]))
}

const LASTING_TYPES: readonly AVMediaType[] = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE]

/**
 * Returns how many seconds of playback a packet of another track proves. If the file may be truncated, only the start of
 * a subtitle counts, because a subtitle at the start of the file may last until the end.
 */
export function otherReach(packet: Packet, stream: Stream, timeline: Timeline, media: Media): number {
  if (stream.codecpar.codecType === AVMEDIA_TYPE_SUBTITLE && !media.hasWholeSegment) packet.duration = 0n
  return correctTimes(packet, stream, timeline, media)
}

/** Corrects the times of a packet. Returns the end of the packet in seconds of playback. */
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

function shareOf({ media, neededSeconds }: PumpOptions, reachedSeconds: number, reachedBytes: bigint): number {
  const totalSeconds = neededSeconds ?? media.durationSeconds
  return Math.min(1, totalSeconds === undefined ? Number(reachedBytes) / media.size : reachedSeconds / totalSeconds)
}

/** Throws if a file ends within a packet or clearly before its declared end, instead of making a shorter video. */
export function checkComplete(media: Media, reachedSeconds: number, isCutOff: boolean): void {
  if (reachedSeconds <= 0) throw damaged(new Error('no packet of the video could be read'))
  const { durationSeconds, tracksSeconds = Number.POSITIVE_INFINITY, shortenedBy, isStream } = media
  if (isStream || durationSeconds === undefined) return
  // Another track may be longer than the video and its audio.
  const statedSeconds = Math.min(durationSeconds, tracksSeconds) * shortenedBy
  if (isCutOff || reachedSeconds < statedSeconds * 0.9 - 0.5) throw endsEarly(reachedSeconds, statedSeconds)
}
