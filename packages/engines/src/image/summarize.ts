import type { DataOf } from '@mediamill/contract/endpoints/index'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { planImage } from '@mediamill/media/plan/image'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import type { EngineFile } from '../protocol/messages.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { openMarks } from '../sharp/watermark-image.ts'
import { foldSteps } from './compile/fold.ts'
import { drawAll } from './draw-stages.ts'
import { openSource } from './open.ts'

type Summary = Pick<DataOf<'images/read'>, 'colors' | 'thumbhash'>

/** The maximum pixels per side that ThumbHash accepts. */
const MAX_SIDE = 100

export async function summarize(file: EngineFile, limits: PixelLimits): Promise<Summary> {
  allowFormats([file.format])
  const opened = await openSource(file, limits)
  const { width, height, frames } = opened.source
  const pixels = width * height
  if (pixels > limits.maxFramePixels || pixels * frames > limits.maxSourcePixels)
    return { colors: null, thumbhash: null }
  const { steps } = planImage(operationsFor(width, height), opened.source, { format: 'png', limits })
  const thumbnail = await drawAll(await opened.image(false), foldSteps(steps), await openMarks([], [], limits))
  const rgba = toRgba(thumbnail)
  return {
    colors: await dominantColors(rgba, thumbnail),
    thumbhash: Buffer.from(rgbaToThumbHash(thumbnail.width, thumbnail.height, rgba)).toString('base64'),
  }
}

function operationsFor(width: number, height: number): OperationInput[] {
  const isLarge = Math.max(width, height) > MAX_SIDE
  const box = { width: MAX_SIDE, height: MAX_SIDE, preserve_aspect_ratio: true, crop_center: false }
  return [{ type: 'orient' }, ...(isLarge ? [{ type: 'resize' as const, ...box }] : [])]
}

function toRgba({ data, width, height, channels }: Filmstrip): Buffer {
  if (channels === 4) return data
  const rgba = Buffer.alloc(width * height * 4, 255)
  for (let pixel = 0; pixel < width * height; pixel += 1) data.copy(rgba, pixel * 4, pixel * 3, pixel * 3 + 3)
  return rgba
}

const MAX_COLORS = 5
// Colors with a smaller share are mostly mixtures at edges.
const MIN_SHARE = 0.02

async function dominantColors(rgba: Buffer, { width, height }: Filmstrip): Promise<Summary['colors']> {
  const raw = { width, height, channels: 4 } as const
  const reduced = await sharp(rgba, { raw }).png({ palette: true, colours: 8, dither: 0, effort: 7 }).toBuffer()
  allowFormats(['PNG'])
  const pixels = await sharp(reduced).ensureAlpha().raw().toBuffer()
  const counts = new Map<string, number>()
  let visible = 0
  for (let at = 0; at < pixels.length; at += 4) {
    if ((pixels[at + 3] ?? 0) < 128) continue
    visible += 1
    const color = `#${pixels.toString('hex', at, at + 3).toUpperCase()}`
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const merged = new Map<string, number>()
  for (const [color, count] of byCount(counts)) {
    const similar = merged.keys().find((kept) => areSimilar(kept, color)) ?? color
    merged.set(similar, (merged.get(similar) ?? 0) + count)
  }
  return byCount(merged)
    .map(([color, count]) => ({ color, share: Math.round((count / visible) * 1000) / 1000 }))
    .filter(({ share }) => share >= MIN_SHARE)
    .slice(0, MAX_COLORS)
}

const byCount = (counts: Map<string, number>) => [...counts].toSorted(([, one], [, other]) => other - one)

const areSimilar = (one: string, other: string) =>
  [1, 3, 5].every((at) => Math.abs(channel(one, at) - channel(other, at)) <= 16)

const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16)
