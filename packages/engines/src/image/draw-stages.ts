import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { framesOf, joinFrames } from '@mediamill/media/pixels/filmstrip'
import { alphaOf, paintRemoved } from '@mediamill/media/pixels/paint-removed'
import type { ImagePlan } from '@mediamill/media/plan/image'
import type { PixelStep } from '@mediamill/media/steps/image-steps'
import { isCover, prepareStep } from '@mediamill/media/steps/image-steps'
import type { Image } from '../sharp/image.ts'
import { openImage, toStrip, wrapDecodeError } from '../sharp/image.ts'
import type { Marks } from '../sharp/watermark-image.ts'
import type { Ground } from './compile/draw.ts'
import { drawPipeline, KEEP_ALPHA, prepare, runPipeline } from './compile/draw.ts'
import type { Stage } from './compile/fold.ts'
import type { Pipeline } from './compile/pipeline.ts'
import { keepsColors, PASS_THROUGH } from './compile/pipeline.ts'
import { encode } from './encode.ts'
import type { Timing } from './sources/opened-source.ts'
import { resetOrientation } from './upright-tiff.ts'
import { animateStill } from './webp-still.ts'

type Drawing = { marks: Marks; timing: Timing }

export type Encoded = { data: Buffer; width: number; height: number }

export async function drawAndEncode(
  open: () => Promise<Image>,
  stages: readonly Stage[],
  plan: ImagePlan,
  drawing: Drawing,
): Promise<Encoded> {
  const encoded = paintsRemoved(plan)
    ? await drawStages({ kind: 'raw', strip: await drawOnWhite(open, stages, drawing.marks) }, [], plan, drawing)
    : await drawStages(await open(), stages, plan, drawing)
  if (encoded.width !== plan.size.width || encoded.height !== plan.size.height) {
    throw new Error(`planned ${plan.size.width} × ${plan.size.height} and made ${encoded.width} × ${encoded.height}`)
  }
  return encoded
}

export async function drawToPixels(
  open: () => Promise<Image>,
  stages: readonly Stage[],
  plan: ImagePlan,
  { marks }: Drawing,
): Promise<Filmstrip> {
  return paintsRemoved(plan) ? drawOnWhite(open, stages, marks) : drawAll(await open(), stages, marks)
}

export function encodePixels(strip: Filmstrip, plan: ImagePlan, timing: Timing): Promise<Encoded> {
  const { width, height } = plan.size
  const isResized = strip.width !== width || strip.height !== height
  const pipeline = isResized ? { ...PASS_THROUGH, resize: { width, height } } : PASS_THROUGH
  return finish({ kind: 'raw', strip }, pipeline, plan, timing)
}

/** Returns whether removed background becomes white in a format with alpha (operations.remove_background.2). */
export const paintsRemoved = ({ steps, format }: ImagePlan) =>
  OUTPUT.image[format].alpha === 'drawn' && steps.some(({ step }) => step.step === 'cutout')

/** Draws all stages, and then makes removed background white, so that no color operation changes the white. */
async function drawOnWhite(open: () => Promise<Image>, stages: readonly Stage[], marks: Marks): Promise<Filmstrip> {
  const shaping = stages.filter((stage) => stage.kind === 'pipeline' || isCover(stage.step))
  const kept = alphaOf(await drawAll(await open(), shaping, marks))
  const strip = await drawAll(await open(), stages, marks)
  paintRemoved(strip, kept)
  return strip
}

export async function drawAll(source: Image, stages: readonly Stage[], marks: Marks): Promise<Filmstrip> {
  let image = source
  for (const stage of stages) image = await drawStage(image, stage, KEEP_ALPHA, marks)
  return decoded(image, KEEP_ALPHA)
}

/** Returns whether only a part of the image is read. The decoder then stops before the end of the file. */
export function isPartRead([first]: readonly Stage[]): boolean {
  if (first?.kind !== 'pipeline') return false
  return first.pipeline.extract !== undefined || first.pipeline.crop !== undefined
}

async function drawStages(
  source: Image,
  stages: readonly Stage[],
  plan: ImagePlan,
  { marks, timing }: Drawing,
): Promise<Encoded> {
  const last = stages.at(-1)
  const ending = last?.kind === 'pipeline' ? last.pipeline : PASS_THROUGH
  const grounds = groundsOf(stages, plan.format)
  let image = source
  for (const [index, stage] of (last?.kind === 'pipeline' ? stages.slice(0, -1) : stages).entries()) {
    image = await drawStage(image, stage, grounds[index] ?? finalGround(plan.format), marks)
  }
  return finish(image, ending, plan, timing)
}

async function drawStage(image: Image, stage: Stage, ground: Ground, marks: Marks): Promise<Image> {
  if (stage.kind === 'pipeline') return runPipeline(image, stage.pipeline, ground)
  return { kind: 'raw', strip: await drawInPlace(await decoded(image, ground), stage, marks) }
}

const decoded = async (image: Image, ground: Ground) =>
  image.kind === 'raw' ? image.strip : toStrip(image, (image) => drawPipeline(image, PASS_THROUGH, ground))

/** Returns the background of each stage. A jpg is blended with white directly after the last color change. */
function groundsOf(stages: readonly Stage[], format: ImageOutputFormat): Ground[] {
  const lastColorStage = stages.findLastIndex((stage) => stage.kind === 'in place' && !isCover(stage.step))
  const ground = finalGround(format)
  return stages.map((_, index) => (index > lastColorStage ? ground : KEEP_ALPHA))
}

const finalGround = (format: ImageOutputFormat): Ground =>
  OUTPUT.image[format].alpha === 'none' ? { fresh: 'white', flatten: true } : KEEP_ALPHA

async function finish(source: Image, pipeline: Pipeline, plan: ImagePlan, timing: Timing): Promise<Encoded> {
  const ground = finalGround(plan.format)
  const [ready, rest] = await prepare(source, pipeline, ground)
  const image = encode(drawPipeline(openImage(ready), rest, ground), plan, timing, keepsColors(rest))
  const { data, info } = await wrapDecodeError(ready, image.toBuffer({ resolveWithObject: true }))
  const size = { width: info.width, height: info.pageHeight ?? info.height }
  if (plan.format === 'tif') resetOrientation(data)
  const kept = plan.format === 'webp' && plan.frames > 1 ? animateStill(data, size, timing) : data
  return { ...size, data: kept }
}

async function drawInPlace(
  strip: Filmstrip,
  { step, operation }: { step: PixelStep; operation: number },
  marks: Marks,
): Promise<Filmstrip> {
  const frames = framesOf(strip)
  const [frame] = frames
  if (frame === undefined) return strip
  const draw = await prepareStep(step, { frame, watermark: (placed) => marks.placedOn(frame, placed, operation) })
  const drawn = frames.map(draw)
  return drawn.every(({ data }, index) => data === frames[index]?.data) ? strip : joinFrames(drawn)
}
