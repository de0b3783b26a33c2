import type { Size } from '@mediamill/contract/domain/size'
import type { AVColorSpace } from 'node-av/constants'
import {
  AV_FRAME_FLAG_INTERLACED,
  AVCOL_PRI_BT2020,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_FCC,
  AVCOL_SPC_RGB,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_SMPTE240M,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { avGetPixFmtName } from 'node-av/lib'

export type FrameShape = Size & {
  pixels: string
  pixelAspect: number
  isInterlaced: boolean
  isFullRange: boolean
  light: 'sdr' | 'hdr' | 'wide'
  /** Whether the colors are HDR or wide, but the frame is RGB or has the matrix of an SDR video. */
  lacksWideMatrix: boolean
  matrix: Matrix
}

/** The matrix that converts RGB to luma and color differences. */
export type Matrix = 'bt709' | 'smpte170m' | 'bt470bg'

// DVDs use up to 1.5, and cinema lenses 2. A larger ratio means an invalid header.
const MAX_PIXEL_ASPECT = 4

/**
 * Returns the shape of a frame. `aspect`, the pixel aspect of the container, overrides the pixel aspect of the frame.
 */
export function shapeOf(frame: Frame, aspect: { num: number; den: number }): FrameShape {
  const hasHdr = frame.colorTrc === AVCOL_TRC_SMPTE2084 || frame.colorTrc === AVCOL_TRC_ARIB_STD_B67
  const light = hasHdr ? 'hdr' : isWide(frame) ? 'wide' : 'sdr'
  const pixels = avGetPixFmtName(frame.format as Parameters<typeof avGetPixFmtName>[0]) ?? ''
  return {
    width: frame.width,
    height: frame.height,
    pixels,
    pixelAspect: pixelAspectOf(aspect, frame.sampleAspectRatio),
    isInterlaced: frame.hasFlags(AV_FRAME_FLAG_INTERLACED),
    isFullRange: frame.colorRange === AVCOL_RANGE_JPEG || pixels.startsWith('yuvj'),
    light,
    lacksWideMatrix: light !== 'sdr' && SDR_MATRICES.includes(frame.colorSpace),
    matrix: matrixOf(frame),
  }
}

/** The width of a pixel relative to its height: the container's value, else the codec's value, else 1. */
export function pixelAspectOf(container: { num: number; den: number }, coding: { num: number; den: number }): number {
  return ratio(container) ?? ratio(coding) ?? 1
}

function ratio({ num, den }: { num: number; den: number }): number | undefined {
  const value = num / den
  return num > 0 && value <= MAX_PIXEL_ASPECT && value >= 1 / MAX_PIXEL_ASPECT ? value : undefined
}

const isWide = ({ colorPrimaries, colorSpace }: Frame) =>
  colorPrimaries === AVCOL_PRI_BT2020 || colorSpace === AVCOL_SPC_BT2020_NCL || colorSpace === AVCOL_SPC_BT2020_CL

const SDR_MATRICES: readonly AVColorSpace[] = [AVCOL_SPC_RGB, AVCOL_SPC_BT709, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M]

function matrixOf({ colorSpace, width, height }: Frame): Matrix {
  switch (colorSpace) {
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_SMPTE240M:
    case AVCOL_SPC_RGB:
      return 'bt709'
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_FCC:
      return 'bt470bg'
    case AVCOL_SPC_SMPTE170M:
      return 'smpte170m'
    default:
      // Players assume these matrices if the video contains none.
      return width >= 1280 || height > 576 ? 'bt709' : 'smpte170m'
  }
}
