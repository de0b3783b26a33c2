import type { VideoPlan } from '@mediamill/media/plan/video'
import { planVideo } from '@mediamill/media/plan/video'
import {
  AV_CODEC_ID_H264,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import type { JobOf } from '../protocol/messages.ts'
import { pixelAspectOf } from './color/frame-shape.ts'
import type { Media } from './libav/media.ts'
import { displayedSizeOf } from './metadata.ts'

export type Prepared = {
  plan: VideoPlan
  stored: { width: number; height: number }
  isCopied: boolean
  /** The expected duration of the result; `undefined` if the header has none. */
  seconds: number | undefined
}

export function prepare(
  media: Media,
  { parameters, limits }: Pick<JobOf<'videos/process'>, 'parameters' | 'limits'>,
): Prepared {
  const { operations, max_duration: maxSeconds } = parameters
  const plan = planVideo(operations, displayedSizeOf(media), limits)
  const { width, height } = media.video.codecpar
  // A shortened video is encoded: a cut between dependent packets would leave gaps.
  const isCut = maxSeconds !== undefined && (media.durationSeconds ?? Number.POSITIVE_INFINITY) > maxSeconds
  const isCopied = plan.filters.length === 0 && !isCut && isPlainH264(media)
  return { plan, stored: { width, height }, isCopied, seconds: isCut ? maxSeconds : media.durationSeconds }
}

function isPlainH264({ video, turn }: Media): boolean {
  const { codecId, format, colorTrc, sampleAspectRatio, fieldOrder } = video.codecpar.toJSON()
  return (
    codecId === AV_CODEC_ID_H264 &&
    (format === AV_PIX_FMT_YUV420P || format === AV_PIX_FMT_YUVJ420P) &&
    colorTrc !== AVCOL_TRC_SMPTE2084 &&
    colorTrc !== AVCOL_TRC_ARIB_STD_B67 &&
    turn.degrees === 0 &&
    !turn.mirrored &&
    pixelAspectOf(video.sampleAspectRatio, sampleAspectRatio) === 1 &&
    isProgressive(fieldOrder)
  )
}

/** Returns whether the order of fields is AV_FIELD_UNKNOWN or AV_FIELD_PROGRESSIVE, which node-av does not export. */
const isProgressive = (fieldOrder: number) => fieldOrder <= 1
