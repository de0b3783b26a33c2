import type { Rgba } from '@mediamill/contract/domain/color'
import { overWhite } from '@mediamill/contract/domain/color'
import type { StripFrame } from '@mediamill/media/pixels/filmstrip'
import { framesOf, joinDrawn } from '@mediamill/media/pixels/filmstrip'
import type { Sharp } from 'sharp'
import type { EncodedPicture, Picture } from '../../sharp/picture.ts'
import { framesIn, toStrip, withinProfile } from '../../sharp/picture.ts'
import type { Pipeline } from './pipeline.ts'
import { afterResize, PASS_THROUGH } from './pipeline.ts'

/** What a pipeline does about transparency. */
export type Ground = {
  /** What new corners and see-through borders show: nothing, or white where the output has no alpha (rulings 15). */
  fresh: 'transparent' | 'white'
  /** Whether transparency that is there already is laid onto white now. */
  flatten: boolean
}

/** Keeps all transparency: empty area is transparent, and nothing is composited. */
export const KEEP_ALPHA: Ground = { fresh: 'transparent', flatten: false }

/** Adds a pipeline's steps to a sharp. */
export function drawPipeline(image: Sharp, pipeline: Pipeline, ground: Ground): Sharp {
  const { extract, resize, mirror, turn, crop, extend } = pipeline
  let drawn = ground.flatten ? image.flatten({ background: WHITE }) : image
  if (extract !== undefined) drawn = drawn.extract(extract)
  if (resize !== undefined) drawn = drawn.resize({ ...resize, fit: 'fill' })
  if (mirror && turn === 180) {
    drawn = drawn.flip()
  } else {
    if (mirror) drawn = drawn.flop()
    if (turn !== 0) drawn = drawn.rotate(turn, { background: ground.fresh === 'white' ? WHITE : CLEAR })
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

/** Runs a pipeline that is not the last: its pixels are the next stage's input. */
export async function runPipeline(picture: Picture, pipeline: Pipeline, ground: Ground): Promise<Picture> {
  const [ready, rest] = await prepare(picture, pipeline, ground)
  return { kind: 'raw', strip: await toStrip(ready, (image) => drawPipeline(image, rest, ground)) }
}

/**
 * Prepares a picture so that `rest` can be drawn on it in one go.
 *
 * Four things cannot be done so. libvips takes pixels out of their colour profile before it resizes, at full size
 * unless JPEG shrank them on load: such a picture is resized within its profile first, at 2/5 of the cost. It turns and
 * resizes an animation's frames all together, so that they change places and show at each other's edges: they are drawn
 * one by one. And a grey picture has no room for a border's colour, and a wide one would take it for one of its own.
 */
export async function prepare(picture: Picture, pipeline: Pipeline, ground: Ground): Promise<[Picture, Pipeline]> {
  if (framesIn(picture) > 1 && mixesFrames(pipeline, framesIn(picture)))
    return [await drawEachFrame(picture, pipeline, ground), PASS_THROUGH]
  if (picture.kind === 'encoded' && (picture.grey || picture.wide) && isColorful(pipeline.extend)) {
    const drawn = await runPipeline(picture, { ...pipeline, extend: undefined }, ground)
    return [drawn, { ...PASS_THROUGH, extend: pipeline.extend }]
  }
  if (!resizesWithinProfile(picture, pipeline)) return [picture, pipeline]
  const { extract, resize } = pipeline
  const resized = drawPipeline(picture.open(), { ...PASS_THROUGH, extract, resize }, KEEP_ALPHA)
  const open = await withinProfile(picture, resized)
  const small: Picture = { ...picture, open, profile: undefined, wide: false }
  return [small, afterResize(pipeline)]
}

const isColorful = (extend: Pipeline['extend']) =>
  extend !== undefined && (extend.color.r !== extend.color.g || extend.color.g !== extend.color.b)

/** Whether the picture's profile is better left after its resize: not for JPEG, which shrinks on load. */
function resizesWithinProfile(picture: Picture, { extract, resize }: Pipeline): picture is EncodedPicture {
  if (picture.kind === 'raw' || picture.profile === undefined || picture.frames > 1 || picture.format === 'JPEG')
    return false
  const from = extract ?? picture
  return resize !== undefined && resize.width * resize.height * 2 < from.width * from.height
}

// All drawn frames are held at once, 800 MB of them; 345 megapixels took 2.2 GB, more than an engine has. Above it frames
// are resized together all the same: a few rows of a neighbour's colour are better than no result.
const MOST_JOINED_PIXELS = 200_000_000

function mixesFrames({ mirror, turn, resize }: Pipeline, frames: number): boolean {
  if (mirror || turn !== 0) return true
  return resize !== undefined && resize.width * resize.height * frames <= MOST_JOINED_PIXELS
}

async function drawEachFrame(picture: Picture, pipeline: Pipeline, ground: Ground): Promise<Picture> {
  const drawn = await joinDrawn(decodedFrames(picture), framesIn(picture), (frame) =>
    toStrip({ kind: 'raw', strip: { ...frame, frames: 1 } }, (image) => drawPipeline(image, pipeline, ground)),
  )
  return { kind: 'raw', strip: drawn }
}

// Less at a time would cost more processor time, for libvips decodes an animation from its beginning for each part, and
// more would cost memory: 800 frames of 800 × 600, made smaller, took 1.7 GB and 7.6 s as a whole, 0.8 GB and 9 s so.
const PART_PIXELS = 50_000_000

/** The frames of a picture, of which only a part is decoded at a time. */
async function* decodedFrames(picture: Picture): AsyncGenerator<StripFrame> {
  if (picture.kind === 'raw') return yield* framesOf(picture.strip)
  const { width, height, frames } = picture
  const most = Math.max(1, Math.floor(PART_PIXELS / (width * height)))
  for (let page = 0; page < frames; page += most) {
    const pages = Math.min(most, frames - page)
    const part = { ...picture, frames: pages, open: () => picture.open({ page, pages }) }
    yield* framesOf(await toStrip(part, (image) => image))
  }
}
