import type { Size } from '@mediamill/contract/domain/size'
import type { Turn } from '../libav/display-matrix.ts'
import { turned, turnFilters } from '../libav/display-matrix.ts'
import type { GraphFilter, Pixels } from '../libav/filter-text.ts'
import type { FrameShape, Matrix } from './frame-shape.ts'
import { toStandardLight } from './standard-light.ts'

/** The common format to which every frame is converted before the operations. */
export type Ground = Size & { matrix: Matrix; pixels: Pixels }

/** Returns the displayed size, with square pixels and the rotation of the container. */
export function displayedSize(shape: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>, turn: Turn): Size {
  return turned(squared(shape), turn)
}

function squared({ width, height, pixelAspect }: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>): Size {
  return { width: Math.max(1, Math.round(width * pixelAspect)), height }
}

/** Returns the color matrix of the result: the source's for SDR, because every player supports it, otherwise BT.709. */
export const groundMatrix = (shape: FrameShape): Matrix => (shape.light === 'sdr' ? shape.matrix : 'bt709')

/** Converts frames to one format: progressive, SDR, square pixels, upright, and 8 bits in limited range. */
export function normalize(shape: FrameShape, ground: Ground, turn: Turn): GraphFilter[] {
  const stored = turned(ground, turn)
  return [
    filter('setparams', { ...colorsOf(shape), field_mode: 'auto' }),
    ...(shape.isInterlaced ? [filter('bwdif', { mode: 'send_frame', deint: 'interlaced' })] : []),
    ...toStandardLight(shape),
    filter('scale', { w: stored.width, h: stored.height, out_color_matrix: ground.matrix, out_range: 'tv' }),
    filter('format', { pix_fmts: ground.pixels }),
    filter('setsar', { sar: 1 }),
    ...turnFilters(turn),
  ]
}

function colorsOf(shape: FrameShape): Record<string, string> {
  const range = shape.isFullRange ? 'pc' : 'tv'
  if (shape.light === 'sdr') return shape.pixels.includes('rgb') ? {} : { range, colorspace: shape.matrix }
  return { range }
}

const filter = (name: string, args: Record<string, number | string>): GraphFilter => ({ name, args })
