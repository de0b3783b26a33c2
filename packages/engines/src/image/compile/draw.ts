import type { Rgba } from '@mediamill/contract/domain/color'
import { overWhite } from '@mediamill/contract/domain/color'
import type { Size } from '@mediamill/contract/domain/size'
import { enlarge } from '@mediamill/media/pixels/enlarge'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { framesOf, joinDrawn } from '@mediamill/media/pixels/filmstrip'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import type { Sharp } from 'sharp'
import type { EncodedImage, Image } from '../../sharp/image.ts'
import { framesIn, toStrip, withinProfile } from '../../sharp/image.ts'
import { rotate } from '../../sharp/rotate.ts'
import type { Pipeline } from './pipeline.ts'
import { afterResize, PASS_THROUGH } from './pipeline.ts'

export type Ground = {
  /** The color of added area: white if the output format has no alpha (operations.rotate.2). */
  fresh: 'transparent' | 'white'
  flatten: boolean
}

export const KEEP_ALPHA: Ground = { fresh: 'transparent', flatten: false }

// For an image this small, sharp decodes a JPEG at twice the size or more. Otherwise, the incomplete blocks at the edge
// of the JPEG would shift the image by up to half a pixel.
const MAX_TINY_PIXELS = 64 * 64

export function drawPipeline(image: Sharp, pipeline: Pipeline, ground: Ground): Sharp {
  const { extract, resize, mirror, turn, sizeBeforeTurn, crop, extend } = pipeline
  let drawn = ground.flatten ? image.flatten({ background: WHITE }) : image
  if (extract !== undefined) drawn = drawn.extract(extract)
  if (resize !== undefined)
    drawn = drawn.resize({ ...resize, fit: 'fill', fastShrinkOnLoad: resize.width * resize.height > MAX_TINY_PIXELS })
  if (mirror && turn === 180) {
    drawn = drawn.flip()
  } else {
    if (mirror) drawn = drawn.flop()
    if (sizeBeforeTurn !== undefined)
      drawn = rotate(drawn, turn, sizeBeforeTurn, ground.fresh === 'white' ? WHITE : CLEAR)
    else if (turn !== 0) drawn = drawn.rotate(turn)
  }
  if (crop !== undefined) drawn = drawn.extract(crop)
  if (extend !== undefined) {
    const { top, bottom, left, right, color } = extend
    drawn = drawn.extend({ top, bottom, left, right, background: background(color, ground) })
  }
  return drawn
}

const WHITE = { r: 255, g: 255, b: 255, alpha: 1 }
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 }

function background(color: Rgba, ground: Ground) {
  const { r, g, b, alpha } = ground.fresh === 'white' ? overWhite(color) : color
  return { r, g, b, alpha: alpha / 255 }
}

export async function runPipeline(image: Image, pipeline: Pipeline, ground: Ground): Promise<Image> {
  return { kind: 'raw', strip: await drawn(image, pipeline, ground) }
}

async function drawn(image: Image, pipeline: Pipeline, ground: Ground): Promise<Filmstrip> {
  const [ready, rest] = await prepare(image, pipeline, ground)
  return toStrip(ready, (image) => drawPipeline(image, rest, ground))
}

/**
 * Returns an image and a pipeline that sharp can draw in one run. Resizes before converting the profile, because
 * libvips would convert at full size. Draws frames one by one, because libvips would rotate the stack of all frames.
 */
export async function prepare(image: Image, pipeline: Pipeline, ground: Ground): Promise<[Image, Pipeline]> {
  if (enlargesOneSide(image, pipeline)) return [await enlargeOneSide(image, pipeline, ground), afterResize(pipeline)]
  if (framesIn(image) > 1 && mixesFrames(pipeline, framesIn(image)))
    return [await drawEachFrame(image, pipeline, ground), PASS_THROUGH]
  if (image.kind === 'encoded' && (image.gray || image.wide) && isColorful(pipeline.extend)) {
    const drawn = await runPipeline(image, { ...pipeline, extend: undefined }, ground)
    return [drawn, { ...PASS_THROUGH, extend: pipeline.extend }]
  }
  if (!resizesWithinProfile(image, pipeline)) return [image, pipeline]
  const { extract, resize } = pipeline
  const resized = drawPipeline(image.open(), { ...PASS_THROUGH, extract, resize }, KEEP_ALPHA)
  const open = await withinProfile(image, resized)
  const small: Image = { ...image, open, profile: undefined, wide: false }
  return [small, afterResize(pipeline)]
}

type Resizing = Pipeline & { resize: Size }

const sizeBefore = (image: Image, { extract }: Pipeline): Size =>
  extract ?? (image.kind === 'raw' ? image.strip : image)

/**
 * The maximum pixels to enlarge without libvips. For larger images, libvips is used, because it needs less memory. A
 * shift by half a pixel is not visible there.
 */
const MAX_ENLARGED_PIXELS = 50_000_000

function enlargesOneSide(image: Image, pipeline: Pipeline): pipeline is Resizing {
  const { resize } = pipeline
  if (resize === undefined || resize.width * resize.height * framesIn(image) > MAX_ENLARGED_PIXELS) return false
  const { width, height } = sizeBefore(image, pipeline)
  return resize.width > width !== resize.height > height
}

/**
 * Enlarges one side without libvips (8.18), which would move and blur the image by half a pixel along the other side.
 */
async function enlargeOneSide(image: Image, { extract, resize }: Resizing, ground: Ground): Promise<Image> {
  const { width, height } = sizeBefore(image, { ...PASS_THROUGH, extract })
  const small = { width: Math.min(width, resize.width), height: Math.min(height, resize.height) }
  const draw = async (frame: Image) =>
    enlarge(await drawn(frame, { ...PASS_THROUGH, extract, resize: small }, ground), resize)
  const frames = framesIn(image)
  // One by one, to save memory.
  const strip =
    frames === 1
      ? { ...(await draw(image)), frames }
      : await joinDrawn(decodedFrames(image), frames, (frame) => draw(still(frame)))
  return { kind: 'raw', strip }
}

const still = (frame: RawImage): Image => ({ kind: 'raw', strip: { ...frame, frames: 1 } })

const isColorful = (extend: Pipeline['extend']) =>
  extend !== undefined && (extend.color.r !== extend.color.g || extend.color.g !== extend.color.b)

function resizesWithinProfile(image: Image, { extract, resize }: Pipeline): image is EncodedImage {
  if (image.kind === 'raw' || image.profile === undefined || image.frames > 1 || image.format === 'JPEG') return false
  const from = extract ?? image
  return resize !== undefined && resize.width * resize.height * 2 < from.width * from.height
}

// More pixels in total are resized as one image to save memory. Frame borders then get some color of the neighbor.
const MAX_JOINED_PIXELS = 200_000_000

function mixesFrames({ mirror, turn, resize }: Pipeline, frames: number): boolean {
  if (mirror || turn !== 0) return true
  return resize !== undefined && resize.width * resize.height * frames <= MAX_JOINED_PIXELS
}

async function drawEachFrame(image: Image, pipeline: Pipeline, ground: Ground): Promise<Image> {
  const drawn = await joinDrawn(decodedFrames(image), framesIn(image), (frame) =>
    toStrip(still(frame), (image) => drawPipeline(image, pipeline, ground)),
  )
  return { kind: 'raw', strip: drawn }
}

// libvips decodes each chunk from the start of the file: small chunks cost CPU time, large chunks cost memory.
const CHUNK_PIXELS = 50_000_000

async function* decodedFrames(image: Image): AsyncGenerator<RawImage> {
  if (image.kind === 'raw') return yield* framesOf(image.strip)
  const { width, height, frames } = image
  const maxFrames = Math.max(1, Math.floor(CHUNK_PIXELS / (width * height)))
  for (let page = 0; page < frames; page += maxFrames) {
    const pages = Math.min(maxFrames, frames - page)
    const chunk = { ...image, frames: pages, open: () => image.open({ page, pages }) }
    yield* framesOf(await toStrip(chunk, (image) => image))
  }
}
