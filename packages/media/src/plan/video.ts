import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import type { VideoFilter } from '@mediamill/contract/drawing/video-filters'
import { isIdle, sizeAfterFilter } from '@mediamill/contract/drawing/video-filters'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import type { Chroma } from './chroma.ts'
import { chromaOfFrames } from './chroma.ts'
import { instructionsOf } from './instructions.ts'

/**
 * One filter and what it does to a frame. It names the operation it belongs to, the sizes before and after, and the
 * colour it leaves.
 */
export type PlannedFilter = { filter: VideoFilter; operation: number; before: Size; after: Size; chroma: Chroma }

export type VideoPlan = {
  /** Empty when the operations change no pixel. */
  filters: PlannedFilter[]
  /** The frame that the last operation leaves; the encoder's is `evenSize` of it. */
  size: Size
  /** How the colour of the frame is kept before the first filter. */
  chroma: Chroma
}

// x264 takes 16,384 pixels a side, and 139,264 macroblocks of 16 × 16 are what level 6.2, the highest of H.264, allows.
const MAX_SIDE = 16_384
const MAX_MACROBLOCKS = 139_264

/**
 * Walks the operations with sizes only and says which filters are to run. `source` is the frame as displayed.
 *
 * Throws `RequestFailure` for whatever can be known before a frame is decoded: a frame past a limit, a crop with
 * nothing left, a result that H.264 cannot hold.
 */
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

/** Returns the size of the encoded frame. H.264 with half-size colour has even sides, so an odd one gains a pixel. */
export function evenSize({ width, height }: Size): Size {
  return { width: width + (width % 2), height: height + (height % 2) }
}

function checkSource(source: Size, { maxFramePixels }: { maxFramePixels: number }): void {
  // wall: a video of any size
  if (source.width * source.height <= maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `The source video is ${describe(source)}; at most ${megapixels(maxFramePixels)} a frame are processed.`,
  )
}

function checkFrame(size: Size, limits: { maxFramePixels: number }, operation: number, type: string): void {
  // wall: an operation that makes huge frames of a video
  if (size.width * size.height <= limits.maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `operations[${operation}] (${type}) would make frames of ${describe(size)}; the limit is ${megapixels(limits.maxFramePixels)}.`,
    { operation },
  )
}

function checkResult(size: Size, operation: number | undefined): void {
  const macroblocks = Math.ceil(size.width / 16) * Math.ceil(size.height / 16)
  // wall: a video that H.264 cannot hold
  if (Math.max(size.width, size.height) <= MAX_SIDE && macroblocks <= MAX_MACROBLOCKS) return
  throw new RequestFailure(
    'processing_failed',
    `The result would be ${describe(size)}; an mp4 file holds at most ${MAX_SIDE.toLocaleString('en')} a side and ${megapixels(MAX_MACROBLOCKS * 256)} a frame. Add a resize.`,
    operation === undefined ? {} : { operation },
  )
}

const describe = (size: Size) => `${size.width} × ${size.height} pixels (${megapixels(size.width * size.height)})`

/** `12.5 megapixels`. */
const megapixels = (pixels: number) => `${Number((pixels / 1_000_000).toFixed(1))} megapixels`
