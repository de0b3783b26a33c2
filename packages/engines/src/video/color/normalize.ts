import type { Size } from '@mediamill/contract/domain/size'
import type { Turn } from '../libav/display-matrix.ts'
import { turned, turnFilters } from '../libav/display-matrix.ts'
import type { GraphFilter, Pixels } from '../libav/filter-text.ts'
import type { FrameShape, Matrix } from './frame-shape.ts'
import { toStandardLight } from './standard-light.ts'

/** What every frame is brought to before the first operation, whatever it was. */
export type Ground = Size & { matrix: Matrix; pixels: Pixels }

/** The frame as displayed: pixels made square, turned as the container says. */
export function displayedSize(shape: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>, turn: Turn): Size {
  return turned(squared(shape), turn)
}

/** Width grows or height does: nothing is thrown away. */
function squared({ width, height, pixelAspect }: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>): Size {
  return { width: Math.max(1, Math.round(width * pixelAspect)), height }
}

/** Returns the matrix that all of a video is brought to. It is the video's own, where every player knows that one. */
export const groundMatrix = (shape: FrameShape): Matrix => (shape.light === 'sdr' ? shape.matrix : 'bt709')

/**
 * Builds the filters that bring a decoded frame to one common form. Operations are drawn on that: whole, SDR, square,
 * upright, 8 bits in the range of television.
 */
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
