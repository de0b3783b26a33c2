import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import type { VideoFilter } from '@mediamill/contract/drawing/video-filters'
import { isIdle, sizeAfterFilter } from '@mediamill/contract/drawing/video-filters'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import type { Chroma } from './chroma.ts'
import { chromaOfFrames } from './chroma.ts'
import { instructionsOf } from './instructions.ts'
import { megapixels } from './megapixels.ts'

type PlannedFilter = { filter: VideoFilter; operation: number; before: Size; after: Size; chroma: Chroma }

export type VideoPlan = {
  filters: PlannedFilter[]
  /** The size after the last operation. The encoded frame has this size rounded up to even numbers (`evenSize`). */
  size: Size
  chroma: Chroma
}

// x264 accepts 16,384 pixels per side. H.264 level 6.2, the highest, allows 139,264 macroblocks of 16 × 16 pixels.
const MAX_SIDE = 16_384
const MAX_MACROBLOCKS = 139_264

export function planVideo(
  operations: readonly OperationInput[],
  source: Size,
  limits: { maxFramePixels: number },
): VideoPlan {
  checkSource(source, limits)
  const steps: Omit<PlannedFilter, 'chroma'>[] = []
  let size = source
  operations.forEach((input, operation) => {
    for (const filter of instructionsOf(input, { frame: size, operation }, (found) => found.video)) {
      const after = sizeAfterFilter(filter, size)
      if (isIdle(filter, size, after)) continue
      checkFrame(after, limits, operation, input.type)
      steps.push({ filter, operation, before: size, after })
      size = after
    }
  })
  checkResult(size, steps.at(-1)?.operation)
  const [chroma = 'half', ...left] = chromaOfFrames(source, steps)
  return { filters: steps.map((step, index) => ({ ...step, chroma: left[index] ?? chroma })), size, chroma }
}

/** Returns the size of the encoded frame. H.264 with half-size color needs even sides, so odd sides increase by 1. */
export function evenSize({ width, height }: Size): Size {
  return { width: width + (width % 2), height: height + (height % 2) }
}

function checkSource(source: Size, { maxFramePixels }: { maxFramePixels: number }): void {
  if (source.width * source.height <= maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `The source video is ${describe(source)}; the limit is ${megapixels(maxFramePixels)} per frame.`,
  )
}

function checkFrame(size: Size, limits: { maxFramePixels: number }, operation: number, type: string): void {
  if (size.width * size.height <= limits.maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `operations[${operation}] (${type}) would make frames of ${describe(size)}; the limit is ${megapixels(limits.maxFramePixels)}.`,
    { operation },
  )
}

function checkResult(size: Size, operation: number | undefined): void {
  const macroblocks = Math.ceil(size.width / 16) * Math.ceil(size.height / 16)
  if (Math.max(size.width, size.height) <= MAX_SIDE && macroblocks <= MAX_MACROBLOCKS) return
  throw new RequestFailure(
    'processing_failed',
    `The result would be ${describe(size)}; an mp4 file holds at most ${MAX_SIDE.toLocaleString('en')} per side and ${megapixels(MAX_MACROBLOCKS * 256)} per frame. Add a resize.`,
    { operation },
  )
}

const describe = (size: Size) => `${size.width} × ${size.height} pixels (${megapixels(size.width * size.height)})`
