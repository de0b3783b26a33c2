import {
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_BT470BG,
  AVCOL_PRI_BT709,
  AVCOL_PRI_SMPTE170M,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE170M,
  AVCOL_TRC_UNSPECIFIED,
  FF_ENCODER_LIBX264,
} from 'node-av/constants'
import type { CodecContext, Frame } from 'node-av/lib'
import { Codec } from 'node-av/lib'
import type { Size } from '../../../domain/size.ts'
import type { FrameShape, Matrix } from '../color/frame-shape.ts'
import { Encoder } from '../libav/encoder.ts'
import { existing } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'

export type H264Options = {
  media: Media
  writer: Mp4Writer
  threads: number
  /** Of the first decoded frame. */
  shape: FrameShape
  matrix: Matrix
  timeBase: { num: number; den: number }
  /** Even on both sides. */
  size: Size
}

// The preset and the quality that research/performance.md measured against ffmpeg's own command.
const SETTINGS = { preset: 'veryfast', crf: 23 }

/** Opens the encoder of the picture. `first` is the first decoded frame, which says what its colours mean. */
export function openH264(first: Frame, options: H264Options): Encoder {
  const { media, writer, threads, shape, matrix, timeBase, size } = options
  const set = (context: CodecContext) => {
    context.width = size.width
    context.height = size.height
    context.pixelFormat = AV_PIX_FMT_YUV420P
    context.timeBase = timeBase as CodecContext['timeBase']
    context.framerate = frameRateOf(media) as CodecContext['framerate']
    context.threadCount = threads
    setColors(context, first, shape, matrix)
  }
  const codec = existing(Codec.findEncoderByName(FF_ENCODER_LIBX264), 'libx264')
  return Encoder.open(codec, SETTINGS, set, { writer, track: 'picture' })
}

/** Frames a second as the file says; 25 where it does not. */
export function frameRateOf({ video }: Media): { num: number; den: number } {
  const rate = [video.avgFrameRate, video.rFrameRate].find(({ num, den }) => num > 0 && den > 0)
  return rate === undefined ? { num: 25, den: 1 } : { num: rate.num, den: rate.den }
}

const COLORS = {
  bt709: [AVCOL_SPC_BT709, AVCOL_PRI_BT709, AVCOL_TRC_BT709],
  smpte170m: [AVCOL_SPC_SMPTE170M, AVCOL_PRI_SMPTE170M, AVCOL_TRC_SMPTE170M],
  bt470bg: [AVCOL_SPC_BT470BG, AVCOL_PRI_BT470BG, AVCOL_TRC_SMPTE170M],
} as const satisfies Record<Matrix, unknown>

/** Says what the colours mean: as the source did, where it did and they are not mapped. */
function setColors(context: CodecContext, frame: Frame, { light }: FrameShape, matrix: Matrix): void {
  const [space, primaries, transfer] = COLORS[matrix]
  const isTold = (value: number, none: number) => light === 'sdr' && value !== none && value !== 0
  context.colorRange = AVCOL_RANGE_MPEG
  context.colorSpace = space
  context.colorPrimaries = isTold(frame.colorPrimaries, AVCOL_PRI_UNSPECIFIED) ? frame.colorPrimaries : primaries
  context.colorTrc = isTold(frame.colorTrc, AVCOL_TRC_UNSPECIFIED) ? frame.colorTrc : transfer
}
