import type { Size } from '@mediamill/contract/domain/size'
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
import type { CodecContext, Frame, Packet } from 'node-av/lib'
import { avRescaleQ, Codec } from 'node-av/lib'
import type { X264Instructions } from '../../protocol/messages.ts'
import type { FrameShape, Matrix } from '../color/frame-shape.ts'
import type { Steps } from '../libav/decoding-order.ts'
import { DecodingOrder, MAX_REORDERED_PACKETS } from '../libav/decoding-order.ts'
import { Encoder } from '../libav/encoder.ts'
import { existing } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { statedRate } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'

/** How to encode a video. The first frame of the video determines these values. */
export type VideoCoding = {
  timeBase: { num: number; den: number }
  rate: { num: number; den: number }
  matrix: Matrix
  /** `primaries` and `transfer` are libav's numbers of the color primaries and of the transfer function. */
  primaries: number
  transfer: number
}

type H264Options = {
  writer: Mp4Writer
  threads: number
  instructions: X264Instructions | undefined
  coding: VideoCoding
  /** The size of a frame. Both sides are even. */
  size: Size
  /** The maximum number of frames between keyframes; by default as in libx264. */
  groupFrames?: number | undefined
}

const SETTINGS = { preset: 'veryfast', crf: 23 }

export function openH264({ writer, threads, instructions, coding, size, groupFrames }: H264Options): Encoder {
  const { timeBase, rate, matrix, primaries, transfer } = coding
  const set = (context: CodecContext) => {
    context.width = size.width
    context.height = size.height
    context.pixelFormat = AV_PIX_FMT_YUV420P
    context.timeBase = timeBase as CodecContext['timeBase']
    context.framerate = rate as CodecContext['framerate']
    context.threadCount = threads
    context.colorRange = AVCOL_RANGE_MPEG
    context.colorSpace = COLORS[matrix][0]
    context.colorPrimaries = primaries as CodecContext['colorPrimaries']
    context.colorTrc = transfer as CodecContext['colorTrc']
  }
  const codec = existing(Codec.findEncoderByName(FF_ENCODER_LIBX264), 'libx264')
  const settings = {
    ...SETTINGS,
    ...(instructions !== undefined && { 'x264-params': `asm=${instructions}` }),
    ...(groupFrames !== undefined && groupsOf(groupFrames)),
  }
  const order = new DecodingOrder<Packet>(decodingSteps(coding))
  return Encoder.open(codec, settings, set, { writer, track: 'video', order })
}

type Rated = Pick<VideoCoding, 'rate' | 'timeBase'>

export const frameTicks = (rated: Rated): bigint => framesTicks(1, rated)

/** Returns the limits of decoding times in ticks of the encoder. */
export const decodingSteps = (rated: Rated): Steps => ({ tick: 1n, lead: framesTicks(MAX_REORDERED_PACKETS, rated) })

function framesTicks(frames: number, { rate: { num, den }, timeBase }: Rated): bigint {
  const minTicks = BigInt(frames)
  const ticks = avRescaleQ(minTicks, { num: den, den: num }, timeBase)
  return ticks > minTicks ? ticks : minTicks
}

export const groupsOf = (groupFrames: number) => ({ g: groupFrames })

export function frameRateOf(media: Media): { num: number; den: number } {
  const { num, den } = statedRate(media) ?? { num: 25, den: 1 }
  return { num, den }
}

/** The color space, primaries, and transfer function of each matrix, in libav's numbers. */
export const COLORS = {
  bt709: [AVCOL_SPC_BT709, AVCOL_PRI_BT709, AVCOL_TRC_BT709],
  smpte170m: [AVCOL_SPC_SMPTE170M, AVCOL_PRI_SMPTE170M, AVCOL_TRC_SMPTE170M],
  bt470bg: [AVCOL_SPC_BT470BG, AVCOL_PRI_BT470BG, AVCOL_TRC_SMPTE170M],
} as const satisfies Record<Matrix, unknown>

export function codingOf(
  first: Frame,
  { light }: FrameShape,
  { media, matrix, timeBase }: { media: Media; matrix: Matrix; timeBase: VideoCoding['timeBase'] },
): VideoCoding {
  const [, primaries, transfer] = COLORS[matrix]
  const isSet = (value: number, none: number) => light === 'sdr' && value !== none && value !== 0
  return {
    timeBase,
    rate: frameRateOf(media),
    matrix,
    primaries: isSet(first.colorPrimaries, AVCOL_PRI_UNSPECIFIED) ? first.colorPrimaries : primaries,
    transfer: isSet(first.colorTrc, AVCOL_TRC_UNSPECIFIED) ? first.colorTrc : transfer,
  }
}
