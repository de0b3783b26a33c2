import type { Size } from '@mediamill/contract/domain/size'
import { evenSize } from '@mediamill/media/plan/video'
import type { Turn } from '../libav/display-matrix.ts'
import { turned, turnFilters } from '../libav/display-matrix.ts'
import type { GraphFilter, Pixels } from '../libav/filter-text.ts'
import type { FrameShape, Matrix } from './frame-shape.ts'

export type Ground = Size & { matrix: Matrix; pixels: Pixels }

export function displayedSize(shape: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>, turn: Turn): Size {
  return turned(squared(shape), turn)
}

function squared({ width, height, pixelAspect }: Pick<FrameShape, 'width' | 'height' | 'pixelAspect'>): Size {
  return { width: Math.max(1, Math.round(width * pixelAspect)), height }
}

/**
 * Returns the matrix of the result. Every player supports the matrix of an SDR source, so the matrix stays the same.
 */
export const groundMatrix = (shape: FrameShape): Matrix => (shape.light === 'sdr' ? shape.matrix : 'bt709')

/**
 * Converts frames to progressive, SDR, square pixels, upright, and 8 bits in limited range. `isStill` is for a graph
 * that gets only one frame.
 */
export function normalize(shape: FrameShape, ground: Ground, turn: Turn, { isStill = false } = {}): GraphFilter[] {
  const stored = turned(ground, turn)
  return [
    filter('setparams', { ...colorsOf(shape), field_mode: 'auto' }),
    ...(shape.isInterlaced ? [deinterlace(isStill)] : []),
    ...(shape.lacksWideMatrix ? [filter('scale', { out_color_matrix: 'bt2020', out_range: 'tv' })] : []),
    ...toStandardLight(shape),
    filter('scale', { w: stored.width, h: stored.height, out_color_matrix: ground.matrix, out_range: 'tv' }),
    filter('format', { pix_fmts: ground.pixels }),
    filter('setsar', { sar: 1 }),
    ...turnFilters(turn),
  ]
}

// `bwdif` needs the previous or the next frame. It does not change a single frame.
const deinterlace = (isStill: boolean): GraphFilter =>
  isStill
    ? filter('estdif', { mode: 'frame', deint: 'interlaced' })
    : filter('bwdif', { mode: 'send_frame', deint: 'interlaced' })

function colorsOf(shape: FrameShape): Record<string, string> {
  const range = shape.isFullRange ? 'pc' : 'tv'
  if (shape.light === 'sdr') return shape.pixels.includes('rgb') ? {} : { range, colorspace: shape.matrix }
  // The filters support only the BT.2020 matrix with non-constant luminance.
  return shape.lacksWideMatrix ? { range } : { range, colorspace: 'bt2020nc' }
}

const filter = (name: string, args: Record<string, number | string>): GraphFilter => ({ name, args })

function toStandardLight(shape: FrameShape): GraphFilter[] {
  switch (shape.light) {
    case 'sdr':
      return []
    case 'hdr':
      return mapTones(shape)
    case 'wide':
      return [
        filter('format', { pix_fmts: 'yuv444p10le' }),
        filter('zscale', { pin: '2020', tin: '709', min: '2020_ncl', p: '709', t: '709', m: '709', r: 'limited' }),
      ]
  }
}

/** Converts HDR to SDR. Makes the sides even first, because `tonemapx` drops an odd last column or row. */
function mapTones({ width, height }: Size): GraphFilter[] {
  const half = filter('format', { pix_fmts: 'yuv420p10le' })
  // Desaturation would turn bright skies gray.
  const colors = { t: 'bt709', m: 'bt709', p: 'bt709', r: 'tv', format: 'yuv420p' }
  const map = filter('tonemapx', { tonemap: 'bt2390', desat: 0, ...colors })
  const edges = repeatEdges({ width, height })
  if (edges.length === 0) return [half, map]
  return [
    filter('format', { pix_fmts: 'yuv444p10le' }),
    ...edges,
    half,
    map,
    filter('crop', { w: width, h: height, x: 0, y: 0, exact: 1 }),
  ]
}

export function repeatEdges(size: Size): GraphFilter[] {
  const even = evenSize(size)
  const right = even.width - size.width
  const bottom = even.height - size.height
  if (right + bottom === 0) return []
  return [
    filter('pad', { w: even.width, h: even.height, x: 0, y: 0 }),
    filter('fillborders', { right, bottom, mode: 'smear' }),
  ]
}
