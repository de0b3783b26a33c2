import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import {
  AV_NOPTS_VALUE,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_KEY,
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
} from 'node-av/constants'
import type { Packet } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import { checkWritten } from '../../protocol/result-file.ts'
import { SHORTER } from '../libav/failures.ts'
import { MICROSECONDS, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { readPacket, streamsOf } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { checkComplete, correctTimes, otherReach, PROGRESS_INTERVAL_MS, readOtherTracks } from '../tracks/pump.ts'
import { PlanMismatchError, StartTooLateError } from '../tracks/segment-window.ts'
import { Timeline } from '../tracks/timeline.ts'
import { boundsOf, jumpSecondsOf } from './bounds.ts'
import type { SegmentAudio } from './segment-audio.ts'
import type { SegmentContext } from './segment-context.ts'

type SegmentReading = {
  media: Media
  index: number
  backSeconds: number
  writer: Mp4Writer
  track: { readonly isComplete: boolean }
  put: (packet: Packet | null) => void
  copiedAudio: SegmentAudio | undefined
}

/** Reads packets from a keyframe before the segment until the video and audio of the segment are complete. */
export async function readSegment({ job, plan, onShare }: SegmentContext, reading: SegmentReading): Promise<void> {
  const { media, index, track, put, writer, copiedAudio } = reading
  const { video, audio, isStream } = media
  const isLast = index === plan.cuts.length
  // Audio is needed if the segment copies it, times may jump, or audio may be longer than the last frame.
  if (!isStream && !isLast && audio !== undefined && copiedAudio === undefined) audio.discard = AVDISCARD_ALL
  const byteOffset = index === 0 ? undefined : await seek(reading, plan)
  const streams = streamsOf(media)
  const otherTracks = isLast ? readOtherTracks(media) : undefined
  const timeline = new Timeline({ jumps: isStream, offsetSeconds: jumpSecondsOf(plan, index) })
  const range = secondsOf(plan, index)
  using packet = newPacket()
  let hasBegun = index === 0
  let reachedSeconds = 0
  let otherTracksSeconds = 0
  let isCutOff = false
  let reportedAt = performance.now()
  while (!track.isComplete || copiedAudio?.isComplete === false) {
    // Audio may be stored after the frames of the same time, so reading continues without video.
    if (track.isComplete && !isStream) video.discard = AVDISCARD_ALL
    const read = await readPacket(media, packet)
    if (read !== AVERROR_EOF && read < 0) throw new PlanMismatchError(`reading failed at ${reachedSeconds} s`)
    if (read < 0) {
      if (!track.isComplete) put(null)
      if (!track.isComplete && isLast) checkComplete(media, Math.max(reachedSeconds, otherTracksSeconds), isCutOff)
      return
    }
    isCutOff = packet.hasFlags(AV_PKT_FLAG_CORRUPT)
    const stream = streams.get(packet.streamIndex)
    // After a seek, the reader may return a packet from before the offset.
    const isBefore = byteOffset !== undefined && packet.pos >= 0n && packet.pos < byteOffset
    if (stream !== undefined && !isBefore) {
      const reached = correctTimes(packet, stream, timeline, media)
      hasBegun ||= stream === video && isBeginning(packet, byteOffset !== undefined)
      if (hasBegun) reachedSeconds = Math.max(reachedSeconds, reached)
      if (hasBegun && stream === video && !track.isComplete) put(packet)
      if (stream === copiedAudio?.stream) copiedAudio.put(packet)
    }
    const other = otherTracks?.get(packet.streamIndex)
    if (other !== undefined)
      otherTracksSeconds = Math.max(otherTracksSeconds, otherReach(packet, other, timeline, media))
    packet.unref()
    const now = performance.now()
    if (now - reportedAt < PROGRESS_INTERVAL_MS) continue
    reportedAt = now
    checkWritten(writer.bytes, job.limits, SHORTER)
    onShare((reachedSeconds - range.start) / range.length)
    await nextTurn()
  }
}

const isBeginning = (packet: Packet, isTimed: boolean) =>
  packet.hasFlags(AV_PKT_FLAG_KEY) && (!isTimed || packet.pts !== AV_NOPTS_VALUE)

async function seek({ media, index, backSeconds }: SegmentReading, plan: SegmentsPlan): Promise<bigint | undefined> {
  const { context, video, startUs } = media
  const byteOffset = plan.places[index - 1]
  if (byteOffset !== undefined) {
    if ((await context.seekFrame(-1, BigInt(byteOffset), AVSEEK_FLAG_BYTE)) < 0)
      throw new PlanMismatchError('cannot seek to the byte offset of the segment')
    return BigInt(byteOffset)
  }
  const { from = 0n } = boundsOf(plan, index)
  const back = avRescaleQ(BigInt(backSeconds) * 1_000_000n, MICROSECONDS, video.timeBase)
  const target = avRescaleQ(startUs, MICROSECONDS, video.timeBase) + from - back
  if ((await context.seekFrame(video.index, target, AVSEEK_FLAG_BACKWARD)) < 0) {
    throw new StartTooLateError('cannot seek to the start of the segment')
  }
  return undefined
}

function secondsOf({ cuts, time_base: { num, den }, seconds }: SegmentsPlan, index: number) {
  const second = (cut: number | undefined) => (cut === undefined ? undefined : (cut * num) / den)
  const start = second(cuts[index - 1]) ?? 0
  return { start, length: Math.max(1, (second(cuts[index]) ?? seconds) - start) }
}
