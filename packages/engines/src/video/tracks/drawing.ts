import type { Size } from '@mediamill/contract/domain/size'
import { anchorWatermark } from '@mediamill/contract/drawing/overlays'
import type { OverlayFilter } from '@mediamill/contract/drawing/video-filters'
import { isScaling } from '@mediamill/contract/drawing/video-filters'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { blendMark } from '@mediamill/media/pixels/blend'
import { drawLines } from '@mediamill/media/pixels/lines'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import type { Chroma } from '@mediamill/media/plan/chroma'
import type { VideoPlan } from '@mediamill/media/plan/video'
import type { EngineJob } from '../../protocol/messages.ts'
import type { Marks } from '../../sharp/watermark-image.ts'
import type { Link, Pixels } from '../libav/filter-text.ts'
import type { Drawing } from './frame-graph.ts'
import type { DrawnOverlay } from './overlay.ts'

const PIXELS: Record<Chroma, Pixels> = { half: 'yuv420p', full: 'yuv444p' }

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
      if (isScaling(planned.filter)) links.push({ name: 'format', args: { pix_fmts: pixels } })
      continue
    }
    const canvas = emptyImage(planned.before)
    for (let next = plan.filters[index]; next !== undefined && 'draw' in next.filter; next = plan.filters[index]) {
      await drawOn(canvas, next.filter, marks, next.operation)
      index += 1
    }
    index -= 1
    const drawn = trim(canvas)
    if (drawn === undefined) continue
    const overlay = `mark${overlays.length}`
    overlays.push({ name: overlay, pixels, image: drawn.image })
    links.push({ overlay, x: drawn.x, y: drawn.y, pixels })
  }
  return { links, overlays, size: plan.size, pixels: PIXELS[plan.chroma] }
}

/** Loads sharp only if the job has watermark images, to save time. */
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
  canvas: RawImage,
  filter: OverlayFilter,
  marks: Marks | undefined,
  operation: number,
): Promise<void> {
  switch (filter.draw) {
    case 'mark': {
      if (marks === undefined) throw new RangeError('a watermark image was not opened before the drawing')
      const mark = await marks.placedOn(canvas, filter, operation)
      blendMark(canvas, mark, anchorWatermark(filter, canvas, mark))
      return
    }
    case 'lines':
      drawLines(canvas, filter)
  }
}

const emptyImage = ({ width, height }: Size): RawImage => ({
  data: Buffer.alloc(width * height * 4),
  width,
  height,
  channels: 4,
})

function trim({ data, width, height }: RawImage): { x: number; y: number; image: RawImage } | undefined {
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
  const image = emptyImage(size)
  for (let row = 0; row < size.height; row += 1) {
    const from = ((y + row) * width + x) * 4
    data.copy(image.data, row * size.width * 4, from, from + size.width * 4)
  }
  return { x, y, image }
}
