import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { AV_NOPTS_VALUE, AVERROR_EAGAIN } from 'node-av/constants'
import { avGetCodecName } from 'node-av/lib'
import { pixelAspectOf } from './color/frame-shape.ts'
import { displayedSize } from './color/normalize.ts'
import { damaged } from './libav/failures.ts'
import { newPacket } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { statedRate } from './libav/media.ts'

type VideoMetadata = {
  duration: number
  codec: string
  width: number
  height: number
  frame_rate: number
  bitrate: number
  audio_codec: string | null
  format: VideoSourceFormat
  size: number
}

export async function readMetadata(media: Media): Promise<VideoMetadata> {
  const { video, audio, format, size } = media
  const duration = media.durationSeconds ?? (await measureDuration(media))
  return {
    duration: thousandths(duration),
    codec: codecName(video),
    ...displayedSizeOf(media),
    frame_rate: frameRate(media),
    bitrate: duration > 0 ? Math.floor((size * 8) / duration) : 0,
    audio_codec: audio === undefined ? null : codecName(audio),
    format,
    size,
  }
}

export function displayedSizeOf({ video, turn }: Media): Size {
  const { width, height, sampleAspectRatio } = video.codecpar
  if (width <= 0 || height <= 0) throw damaged(new Error('the header contains no frame size'))
  return displayedSize({ width, height, pixelAspect: pixelAspectOf(video.sampleAspectRatio, sampleAspectRatio) }, turn)
}

const codecName = ({ codecpar }: Media['video']) => avGetCodecName(codecpar.codecId) ?? 'unknown'

function frameRate(media: Media): number {
  const rate = statedRate(media)
  return rate === undefined ? 0 : thousandths(rate.num / rate.den)
}

async function measureDuration({ context, video, audio, startUs }: Media): Promise<number> {
  using packet = newPacket()
  const start = Number(startUs) / 1e6
  let end = start
  let lasted = 0
  for (;;) {
    const read = await context.readFrame(packet)
    if (read === AVERROR_EAGAIN) continue
    // A video without a container has no times, but each frame has a duration.
    if (read < 0) return Math.max(end - start, lasted)
    const stream = packet.streamIndex === video.index ? video : packet.streamIndex === audio?.index ? audio : undefined
    if (stream !== undefined) {
      const { num, den } = stream.timeBase
      const seconds = (ticks: bigint) => (Number(ticks) * num) / den
      if (packet.pts !== AV_NOPTS_VALUE) end = Math.max(end, seconds(packet.pts + packet.duration))
      if (stream === video) lasted += seconds(packet.duration)
    }
    packet.unref()
  }
}

const thousandths = (value: number) => Number(value.toFixed(3))
