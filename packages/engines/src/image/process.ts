import { isSmallFile } from '@mediamill/contract/domain/drawn/thumbnail'
import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { alphaOf, paintRemoved } from '@mediamill/media/pixels/paint-removed'
import type { ImagePlan } from '@mediamill/media/plan/image'
import { planImage } from '@mediamill/media/plan/image'
import { isCover } from '@mediamill/media/steps/image-steps'
import type { Sharp } from 'sharp'
import sharp from 'sharp'

import type { EngineJob, EngineResult, EngineThumbnail, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'

import { allowFormats } from '../sharp/loaders.ts'
import type { Picture } from '../sharp/picture.ts'
import { openPicture, orDamaged, toStrip } from '../sharp/picture.ts'
import { makeThumbnail, makeThumbnailOfPixels } from '../sharp/thumbnail.ts'
import type { Marks } from '../sharp/watermark-image.ts'
import { openMarks } from '../sharp/watermark-image.ts'
import type { Ground } from './compile/draw.ts'
import { drawPipeline, KEEP_ALPHA, prepare, runPipeline } from './compile/draw.ts'
import { drawInPlace } from './compile/in-place.ts'
import type { Pipeline } from './compile/pipeline.ts'
import { PASS_THROUGH } from './compile/pipeline.ts'
import type { Stage } from './compile/stages.ts'
import { foldSteps } from './compile/stages.ts'
import { encode } from './encode.ts'
import { openSource } from './open.ts'
import { withDotsOf } from './png-dots.ts'
import type { Timing } from './sources/opened-source.ts'
import {
  drawSmall,
  drawsSourceAgain,
  drawThumbnail,
  finishedPixels,
  isPlain,
  readsResultAgain,
  wantsThumbnail,
} from './thumbnail.ts'
import { animateStill } from './webp-still.ts'

/**
 * Runs a request's operations on a picture and writes the result: the task `images/process`.
 *
 * Everything that headers tell is judged by the plan before a pixel is decoded.
 */
export async function processImage(job: JobOf<'images/process'>): Promise<EngineResult<'images/process'>> {
  const { operations, output } = job.parameters
  const { format } = output
  allowFormats([job.input.format, ...job.assets.map((asset) => asset.format)])
  const opened = await openSource(job.input, job.limits)
  const marks = await openMarks(operations, job.assets, job.limits)
  const plan = planImage(operations, opened.source, { format, limits: job.limits, marks: marks.sizes })
  const stages = foldSteps(plan.steps)
  // wall: a picture cut off below what a crop reads of it
  if (isPartRead(stages)) opened.refuseCutOff()
  const open = () => opened.picture(plan.frames > 1)
  const picture = paintsRemoved(plan) ? await drawOnWhite(open, stages, marks) : await open()
  const left = paintsRemoved(plan) ? [] : stages
  const encoded = await drawStages(picture, left, plan, { marks, timing: opened.timing, job })
  return save(encoded, plan, job)
}

/** Whether removed area becomes white while other transparency is kept (Spec 4.5). */
const paintsRemoved = ({ steps, format }: ImagePlan) =>
  OUTPUT.image[format].alpha === 'drawn' && steps.some(({ step }) => step.step === 'cutout')

/**
 * Draws all stages and then makes white what cutouts removed, so that no color operation tints it.
 *
 * The stages run a second time without cutouts, because only that shows which transparency is to stay.
 */
async function drawOnWhite(open: () => Promise<Picture>, stages: readonly Stage[], marks: Marks): Promise<Picture> {
  const shaping = stages.filter((stage) => stage.kind === 'pipeline' || isCover(stage.step))
  const kept = alphaOf(await drawAll(await open(), shaping, marks))
  const strip = await drawAll(await open(), stages, marks)
  paintRemoved(strip, kept)
  return { kind: 'raw', strip }
}

/** Draws stages into pixels and keeps all transparency. */
async function drawAll(source: Picture, stages: readonly Stage[], marks: Marks): Promise<Filmstrip> {
  let picture = source
  for (const stage of stages) picture = await drawStage(picture, stage, KEEP_ALPHA, marks)
  return decoded(picture, KEEP_ALPHA)
}

/** Whether a decoder may stop before the end of the file: it reads no more rows than the first pipeline asks for. */
function isPartRead([first]: readonly Stage[]): boolean {
  if (first?.kind !== 'pipeline') return false
  return first.pipeline.extract !== undefined || first.pipeline.crop !== undefined
}

/** Runs every stage but the last pipeline into raw pixels, and the last one straight into the encoder. */
async function drawStages(
  source: Picture,
  stages: readonly Stage[],
  plan: ImagePlan,
  { marks, timing, job }: { marks: Marks; timing: Timing; job: EngineJob },
) {
  const last = stages.at(-1)
  const ending = last?.kind === 'pipeline' ? last.pipeline : PASS_THROUGH
  const grounds = groundsOf(stages, plan.format)
  let picture = source
  for (const [index, stage] of (last?.kind === 'pipeline' ? stages.slice(0, -1) : stages).entries()) {
    picture = await drawStage(picture, stage, grounds[index] ?? finalGround(plan.format), marks)
  }
  return finish(picture, ending, plan, { timing, job })
}

async function drawStage(picture: Picture, stage: Stage, ground: Ground, marks: Marks): Promise<Picture> {
  if (stage.kind === 'pipeline') return runPipeline(picture, stage.pipeline, ground)
  return { kind: 'raw', strip: await drawInPlace(await decoded(picture, ground), stage, marks) }
}

const decoded = async (picture: Picture, ground: Ground) =>
  picture.kind === 'raw' ? picture.strip : toStrip(picture, (image) => drawPipeline(image, PASS_THROUGH, ground))

/**
 * Returns how each stage treats transparency.
 *
 * A jpg has no alpha, and three channels are less work than four, so transparency is composited onto white early. Steps
 * that move or cover pixels give the same result before and after. Steps that change colors or cut do not: up to the last
 * of them new area stays transparent and nothing is composited, so that empty area ends white.
 */
function groundsOf(stages: readonly Stage[], format: ImageOutputFormat): Ground[] {
  const lastColorStage = stages.findLastIndex((stage) => stage.kind === 'in place' && !isCover(stage.step))
  const ground = finalGround(format)
  return stages.map((_, index) => (index > lastColorStage ? ground : KEEP_ALPHA))
}

const finalGround = (format: ImageOutputFormat): Ground =>
  OUTPUT.image[format].alpha === 'none' ? { fresh: 'white', flatten: true } : KEEP_ALPHA

async function finish(
  picture: Picture,
  pipeline: Pipeline,
  plan: ImagePlan,
  { timing, job }: { timing: Timing; job: EngineJob },
) {
  const ground = finalGround(plan.format)
  const isWanted = wantsThumbnail(job, plan)
  const [ready, rest] = await prepare(picture, pipeline, ground)
  // A thumbnail is made of the pixels that the encoder gets: they are drawn once, for both.
  const rereads = readsResultAgain(picture, plan)
  const redraws = drawsSourceAgain(picture, pipeline, plan)
  const finished = finishedPixels(picture, pipeline, ground)
  if (isWanted && !rereads && !redraws && finished === undefined && isPlain(picture)) {
    const both = await encodePixels(
      ready,
      await toStrip(ready, (image) => drawPipeline(image, rest, ground)),
      plan,
      job,
    )
    if (both !== undefined) return both
  }
  const image: Sharp = encode(drawPipeline(openPicture(ready), rest, ground), plan, timing)
  const { data, info } = await orDamaged(ready, image.toBuffer({ resolveWithObject: true }))
  const size = { width: info.width, height: info.pageHeight ?? info.height }
  const kept = plan.format === 'webp' && plan.frames > 1 ? animateStill(data, size, timing) : data
  if (!isWanted || (plan.frames === 1 && isSmallFile(plan.format, size, data.length))) return { ...size, data: kept }
  if (finished !== undefined) return { ...size, data: kept, ...(await makeThumbnailOfPixels(job, finished)) }
  if (redraws) return { ...size, data: kept, ...(await drawSmall(job, picture, { pipeline, ground, size })) }
  const small = rereads
    ? makeThumbnail(job, sharp(data, { limitInputPixels: false }), size)
    : drawThumbnail(job, picture, { pipeline, ground })
  return { ...size, data: kept, ...(await small) }
}

/** Encodes the pixels of one frame and makes their thumbnail. `undefined` where the file would not be the same. */
async function encodePixels(
  source: Picture,
  strip: Filmstrip,
  plan: ImagePlan,
  job: EngineJob,
): Promise<Encoded | undefined> {
  const { width, height } = strip
  const encoded = await encode(openPicture({ kind: 'raw', strip }), plan, { delays: [], loop: 0 }).toBuffer()
  const data = plan.format === 'png' ? await withDotsOf(source, encoded) : encoded
  if (data === undefined) return undefined
  if (isSmallFile(plan.format, { width, height }, data.length)) return { width, height, data }
  return { width, height, data, ...(await makeThumbnailOfPixels(job, strip)) }
}

type Encoded = { data: Buffer; width: number; height: number; thumbnail?: EngineThumbnail }

const SMALLER = 'Make it smaller, lower its quality or choose another output.format.'

function save(
  { data, width, height, thumbnail }: Encoded,
  plan: ImagePlan,
  job: EngineJob,
): EngineResult<'images/process'> {
  if (width !== plan.size.width || height !== plan.size.height) {
    throw new Error(`planned ${plan.size.width} × ${plan.size.height} and made ${width} × ${height}`)
  }
  const file = writeResult(job, plan.format, { parts: [data], wayOut: SMALLER })
  const facts = { width, height, format: OUTPUT.image[plan.format].name, size: file.size }
  return { data: facts, files: [file], units: 1, ...(thumbnail !== undefined && { thumbnail }) }
}
