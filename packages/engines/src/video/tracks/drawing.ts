import type { Size } from '@mediamill/contract/domain/size'
import type { OverlayFilter } from '@mediamill/contract/drawing/video-filters'
import { isScaling } from '@mediamill/contract/drawing/video-filters'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { blendMark } from '@mediamill/media/pixels/blend'
import { drawLines } from '@mediamill/media/pixels/lines'
import type { RawPicture } from '@mediamill/media/pixels/raw-picture'
import type { Chroma } from '@mediamill/media/plan/chroma'
import type { VideoPlan } from '@mediamill/media/plan/video'
import type { EngineJob } from '../../protocol/messages.ts'
import type { Marks } from '../../sharp/watermark-image.ts'
import type { Link, Pixels } from '../libav/filter-text.ts'
import type { DrawnOverlay } from './overlay.ts'
import type { Drawing } from './picture-graph.ts'

const PIXELS: Record<Chroma, Pixels> = { half: 'yuv420p', full: 'yuv444p' }

/**
 * Turns a plan into what runs on every frame. Marks and lines that follow one another become one picture, drawn once
 * and cut to its parts that are not transparent.
 */
export async function draw(plan: VideoPlan, operations: readonly OperationInput[], job: EngineJob): Promise<Drawing> {
  const marks = await openMarks(plan, operations, job)
  const links: Link[] = []
  const overlays: DrawnOverlay[] = []
  for (let index = 0; index < plan.filters.length; index += 1) {
    const planned = plan.filters[index]
    if (planned === undefined) break
    const pixels = PIXELS[planned.chroma]
    if ('name' in planned.filter) {
      links.push(planned.filter)
      // libav lets a scaling choose its pixels by what the end of the chain wants, and those of half-size colour lose edges.
      if (isScaling(planned.filter)) links.push({ name: 'format', args: { pix_fmts: pixels } })
      continue
    }
    const canvas = emptyPicture(planned.before)
    for (let next = plan.filters[index]; next !== undefined && 'draw' in next.filter; next = plan.filters[index]) {
      await drawOn(canvas, next.filter, marks, next.operation)
      index += 1
    }
    index -= 1
    const drawn = trim(canvas)
    if (drawn === undefined) continue
    const overlay = `mark${overlays.length}`
    overlays.push({ name: overlay, pixels, picture: drawn.picture })
    links.push({ overlay, x: drawn.x, y: drawn.y, pixels })
  }
  return { links, overlays, size: plan.size, pixels: PIXELS[plan.chroma] }
}

/** sharp, which decodes the marks, is only loaded for a video that has any. */
async function openMarks(
  plan: VideoPlan,
  operations: readonly OperationInput[],
  job: EngineJob,
): Promise<Marks | undefined> {
  if (!plan.filters.some(({ filter }) => 'draw' in filter && filter.draw === 'mark')) return undefined
  const [{ openMarks: open }, { allowFormats }] = await Promise.all([
    import('../../sharp/watermark-image.ts'),
    import('../../sharp/loaders.ts'),
  ])
  allowFormats(job.assets.map((asset) => asset.format))
  return await open(operations, job.assets, job.limits)
}

async function drawOn(
  canvas: RawPicture,
  filter: OverlayFilter,
  marks: Marks | undefined,
  operation: number,
): Promise<void> {
  switch (filter.draw) {
    case 'mark': {
      if (marks === undefined) throw new RangeError('a mark was not opened')
      blendMark(canvas, await marks.pixelsOf(filter.assetUrl, operation), filter)
      return
    }
    case 'lines':
      drawLines(canvas, filter)
  }
}

const emptyPicture = ({ width, height }: Size): RawPicture => ({
  data: Buffer.alloc(width * height * 4),
  width,
  height,
  channels: 4,
})

/** The part that is not transparent, from an even place on, so that it lies on whole colour samples; none when all is. */
function trim({ data, width, height }: RawPicture): { x: number; y: number; picture: RawPicture } | undefined {
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (data[(y * width + x) * 4 + 3] === 0) continue
      if (x < left) left = x
      if (x > right) right = x
      if (y < top) top = y
      bottom = y
    }
  }
  if (right === -1) return undefined
  const even = (place: number) => place - (place % 2)
  const [x, y] = [even(left), even(top)]
  const size = { width: Math.min(width, even(right) + 2) - x, height: Math.min(height, even(bottom) + 2) - y }
  const picture = emptyPicture(size)
  for (let row = 0; row < size.height; row += 1) {
    const from = ((y + row) * width + x) * 4
    data.copy(picture.data, row * size.width * 4, from, from + size.width * 4)
  }
  return { x, y, picture }
}
