import {
  AV_CODEC_ID_H264,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import { pixelAspectOf } from '../color/frame-shape.ts'
import type { Media } from '../libav/media.ts'

/** Returns whether a video is 8-bit H.264, progressive, upright, SDR, with half-size color and square pixels. */
export function isPlainH264({ video, turn }: Media): boolean {
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

/** Returns whether a value is AV_FIELD_UNKNOWN or AV_FIELD_PROGRESSIVE, which node-av does not export. */
const isProgressive = (fieldOrder: number) => fieldOrder <= 1
