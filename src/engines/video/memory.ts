import type { Size } from '../../operations/operation.ts'
import type { VideoPlan } from '../../plan/video.ts'

// The process with its libraries, buffers and a little sound.
const BASE_BYTES = 180_000_000
// Per pixel, of every frame that is held at once by decoder threads, filters, and the encoder with its look-ahead.
const DECODER_BYTES = 40
const FILTER_BYTES = 16
const ENCODER_BYTES = 75

/** What a job is going to hold at most, in bytes, so that jobs are started only while the machine has it to spare. */
export function memoryFor(plan: VideoPlan, stored: Size, isCopied: boolean): number {
  if (isCopied) return BASE_BYTES
  const pixels = ({ width, height }: Size) => width * height
  const largest = Math.max(0, ...plan.filters.flatMap(({ before, after }) => [pixels(before), pixels(after)]))
  return BASE_BYTES + DECODER_BYTES * pixels(stored) + FILTER_BYTES * largest + ENCODER_BYTES * pixels(plan.size)
}
