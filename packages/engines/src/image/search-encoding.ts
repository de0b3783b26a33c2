import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { brightnessOf, sampleOf } from '@mediamill/media/pixels/sample'
import { structuralSimilarity } from '@mediamill/media/pixels/structural-similarity'
import type { ImagePlan } from '@mediamill/media/plan/image'
import type { EncodingGoal } from '@mediamill/media/plan/search'
import {
  AUTO_QUALITY,
  BYTE_SEARCH_ENCODINGS,
  MAX_SHRINK,
  RESIZE_QUALITY,
  SHRINK_STEPS,
} from '@mediamill/media/plan/search'
import sharp from 'sharp'
import { allowDecoder } from '../sharp/loaders.ts'
import type { Encoded } from './draw-stages.ts'
import { encodePixels } from './draw-stages.ts'
import { qualityOf } from './encode.ts'
import type { Timing } from './sources/opened-source.ts'

/**
 * The SSIM of the brightness that the quality `auto` must reach. A jpg of a photo reaches this value at about quality
 * 80.
 */
const TARGET_SIMILARITY = 0.97

/** The search ends early if a file uses at least this share of `max_bytes`. */
const FULL = 0.97

type Search = {
  goal: EncodingGoal
  timing: Timing
  complete: (encoded: Encoded) => Encoded
}

export async function searchEncoding(strip: Filmstrip, plan: ImagePlan, search: Search): Promise<Encoded> {
  const { goal, timing, complete } = search
  const { isLossy } = OUTPUT.image[plan.format]
  const quality = goal.quality === 'auto' && isLossy ? await qualityLike(strip, plan, timing) : qualityOf(plan)
  const encode = async (changed: Partial<ImagePlan>) =>
    complete(await encodePixels(strip, { ...plan, quality, ...changed }, timing))
  const first = await encode({})
  const { max_bytes: maxBytes, max_bytes_resize: isResized = false } = goal
  if (maxBytes === undefined || first.data.length <= maxBytes) return first

  const floor = isResized ? Math.min(quality, RESIZE_QUALITY) : 1
  const lower = isLossy ? await lowerQuality(encode, { min: floor, max: quality - 1, maxBytes }) : {}
  if (lower.fitting !== undefined) return lower.fitting
  const smallest = smaller(first, lower.smallest)
  if (!isResized) throw tooLarge(smallest, maxBytes, plan)
  const shrunk = await shrink((size) => encode({ size, quality: floor }), smallest, maxBytes)
  if (shrunk.data.length > maxBytes) throw tooLarge(shrunk, maxBytes, plan)
  return shrunk
}

async function qualityLike(strip: Filmstrip, plan: ImagePlan, timing: Timing): Promise<number> {
  const sample = sampleOf(strip)
  const original = brightnessOf(sample)
  const { width, height } = sample
  const still = { ...plan, frames: 1, size: { width, height } }
  allowDecoder(DECODED_AS[plan.format])
  let { min, max } = AUTO_QUALITY
  while (min < max) {
    const quality = Math.floor((min + max) / 2)
    const { data } = await encodePixels(sample, { ...still, quality }, timing)
    const similarity = structuralSimilarity(original, brightnessOf(await decoded(data)))
    if (similarity >= TARGET_SIMILARITY) max = quality
    else min = quality + 1
  }
  return min
}

const DECODED_AS: Partial<Record<ImagePlan['format'], ImageSourceFormat>> = { jpg: 'JPEG', webp: 'WEBP', avif: 'AVIF' }

async function decoded(file: Buffer): Promise<Omit<Filmstrip, 'frames'>> {
  const { data, info } = await sharp(file).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 }
}

type Encode = (changed: Partial<ImagePlan>) => Promise<Encoded>
type Range = { min: number; max: number; maxBytes: number }

/** Finds the highest quality whose file has at most `maxBytes` (`fitting`). `smallest` is the smallest file tried. */
async function lowerQuality(encode: Encode, range: Range): Promise<{ fitting?: Encoded; smallest?: Encoded }> {
  let { min, max } = range
  let [fitting, smallest]: (Encoded | undefined)[] = []
  for (let encodings = 1; min <= max && encodings < BYTE_SEARCH_ENCODINGS; encodings += 1) {
    const quality = Math.floor((min + max) / 2)
    const encoded = await encode({ quality })
    smallest = smaller(encoded, smallest)
    if (encoded.data.length > range.maxBytes) {
      max = quality - 1
      continue
    }
    fitting = encoded
    if (encoded.data.length >= range.maxBytes * FULL) break
    min = quality + 1
  }
  return { ...(fitting && { fitting }), ...(smallest && { smallest }) }
}

async function shrink(
  encode: (size: ImagePlan['size']) => Promise<Encoded>,
  start: Encoded,
  maxBytes: number,
): Promise<Encoded> {
  let last = start
  for (const margin of SHRINK_STEPS) {
    if (last.data.length <= maxBytes || Math.max(last.width, last.height) === 1) break
    const scale = Math.min(MAX_SHRINK, margin * Math.sqrt(maxBytes / last.data.length))
    last = await encode({ width: scaled(last.width, scale), height: scaled(last.height, scale) })
  }
  return last
}

const scaled = (side: number, scale: number) => Math.max(1, Math.floor(side * scale))

const smaller = (one: Encoded, other: Encoded | undefined): Encoded =>
  other !== undefined && other.data.length < one.data.length ? other : one

function tooLarge({ data, width, height }: Encoded, maxBytes: number, { format }: ImagePlan): RequestFailure {
  const [limit, smallest] = [maxBytes, data.length].map((bytes) => bytes.toLocaleString('en'))
  return new RequestFailure(
    'processing_failed',
    `max_bytes is ${limit}, but the smallest ${format} file has ${smallest} bytes (${width} × ${height} pixels). Increase max_bytes, make the image smaller, or set max_bytes_resize to true.`,
  )
}
