import { AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_NOPTS_VALUE, AVERROR_EOF } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import type { Decoder } from './libav/decoder.ts'
import { readH264Header } from './libav/h264-header.ts'
import { newFrame, newPacket } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { readPacket } from './libav/media.ts'

export async function decodeUntil(
  media: Media,
  decoder: Decoder,
  targetTime: bigint,
  found: Frame,
): Promise<bigint | undefined> {
  const last = new LastFrame(targetTime, found)
  using packet = newPacket()
  using frame = newFrame()
  decoder.leaveOut(false)
  while (!last.isPast) {
    const read = await readPacket(media, packet)
    if (read < 0) {
      decoder.decode(null, frame, (decoded) => last.offer(decoded))
      if (read !== AVERROR_EOF && last.time === undefined) return undefined
      break
    }
    if (packet.streamIndex === media.video.index) decoder.decode(packet, frame, (decoded) => last.offer(decoded))
    packet.unref()
  }
  return last.time
}

/**
 * Returns whether frames can be skipped. Skipping requires that each packet is one frame, has a display time, and
 * states whether other frames refer to it.
 */
export function canSkipFrames({ video, isStream, format }: Media): boolean {
  if (isStream || !FRAME_PER_PACKET_FORMATS.has(format)) return false
  const { codecId, extradata } = video.codecpar
  if (codecId === AV_CODEC_ID_H264) return format !== 'MKV' || hasOutputOrder(extradata)
  return codecId === AV_CODEC_ID_HEVC && hasOneLayer(extradata)
}

const FRAME_PER_PACKET_FORMATS: ReadonlySet<Media['format']> = new Set(['MP4', 'MOV', 'MKV'])

/** Skips frames that no other frame refers to. If it returns `false`, decode all frames with `decodeUntil`. */
export async function skipNonReferenceFrames(
  media: Media,
  decoder: Decoder,
  targetTime: bigint,
  found: Frame,
): Promise<boolean> {
  const last = new LastFrame(targetTime, found)
  const failures = decoder.failures
  using packet = newPacket()
  using frame = newFrame()
  let expected: bigint | undefined
  let lastPts: bigint | undefined
  let isInOrder = true
  const offer = (decoded: Frame) => {
    const { pts } = decoded
    // If times do not increase, the file has no display order: its display times are decoding times.
    if (decoded.decodeErrorFlags !== 0 || (lastPts !== undefined && pts <= lastPts)) isInOrder = false
    lastPts = pts
    last.offer(decoded)
  }
  while (!last.isPast) {
    const read = await readPacket(media, packet)
    if (read < 0 && read !== AVERROR_EOF) return false
    const isVideo = read >= 0 && packet.streamIndex === media.video.index
    const { pts, dts } = packet
    if (isVideo && (pts === AV_NOPTS_VALUE || pts < dts)) return false
    // No frame is displayed before it is decoded, so all later frames are after `targetTime`. Matroska may omit `dts`.
    if (read < 0 || (isVideo && dts !== AV_NOPTS_VALUE && dts > targetTime)) {
      decoder.leaveOut(false)
      decoder.decode(null, frame, offer)
      break
    }
    if (isVideo) {
      if (expected === undefined) media.expect(bytesUntil(media, targetTime - pts))
      decoder.leaveOut(expected !== undefined && pts < expected)
      decoder.decode(packet, frame, offer)
      if (pts <= targetTime && (expected === undefined || pts > expected)) expected = pts
    }
    packet.unref()
  }
  return expected !== undefined && last.time === expected && isInOrder && decoder.failures === failures
}

/**
 * The factor for requesting more bytes than expected, because groups of frames differ in size, and a second request
 * takes time.
 */
const SPREAD = 1.125

function bytesUntil({ size, video, durationSeconds = 0 }: Media, ticks: bigint): number {
  const { num, den } = video.timeBase
  const share = durationSeconds > 0 ? (Number(ticks) * num) / den / durationSeconds : 0
  return Math.ceil(size * Math.max(0, share) * SPREAD)
}

const hasOutputOrder = (configuration: Buffer | null) =>
  configuration !== null && readH264Header(configuration)?.hasOutputOrder === true

/** Returns whether an HEVC video has only one temporal layer (`hvcC`, ISO/IEC 14496-15). */
const hasOneLayer = (configuration: Buffer | null) =>
  configuration?.[0] === 1 && (((configuration[21] ?? 0) >> 3) & 7) === 1

class LastFrame {
  time: bigint | undefined
  isPast = false
  readonly #targetTime: bigint
  readonly #found: Frame

  constructor(targetTime: bigint, found: Frame) {
    this.#targetTime = targetTime
    this.#found = found
    found.unref()
  }

  offer(decoded: Frame): void {
    const pts = decoded.bestEffortTimestamp
    if (this.isPast) return
    if (this.time !== undefined && pts !== AV_NOPTS_VALUE && pts > this.#targetTime) {
      this.isPast = true
      return
    }
    this.time = pts === AV_NOPTS_VALUE ? (this.time ?? this.#targetTime) : pts
    if (this.time > this.#targetTime) this.isPast = true
    this.#found.unref()
    this.#found.ref(decoded)
  }
}
