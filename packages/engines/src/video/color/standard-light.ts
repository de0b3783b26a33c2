import type { Size } from '@mediamill/contract/domain/size'
import type { GraphFilter } from '../libav/filter-text.ts'
import type { FrameShape } from './frame-shape.ts'
import { repeatEdges } from './repeat-edges.ts'

/** Converts high dynamic range and wide gamuts to SDR. Keeps 10 bits until its last filter. */
export function toStandardLight(shape: FrameShape): GraphFilter[] {
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

/** Maps HDR tones to SDR. Makes the sides even first, because `tonemapx` drops an odd last column or row. */
function mapTones({ width, height }: Size): GraphFilter[] {
  const half = filter('format', { pix_fmts: 'yuv420p10le' })
  // Uses the curve of BT.2390 without desaturation, which would turn bright skies gray.
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

const filter = (name: string, args: Record<string, number | string>): GraphFilter => ({ name, args })
