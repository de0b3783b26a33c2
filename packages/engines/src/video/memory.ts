import type { Size } from '@mediamill/contract/domain/size'
import type { VideoPlan } from '@mediamill/media/plan/video'

// A base, and bytes for each pixel of the frames in decoder, encoder, look-ahead, and threads.
const BASE_BYTES = 180_000_000
const DECODER_BYTES = 20
const DECODER_THREAD_BYTES = 6
const ENCODER_BYTES = 45
const ENCODER_THREAD_BYTES = 8
const FILTER_BYTES = 16

/** Estimates the maximum memory in bytes. The job starts when this much memory is free. */
export function memoryFor(plan: VideoPlan, stored: Size, threads: number): number {
  const pixels = ({ width, height }: Size) => width * height
  const largest = Math.max(0, ...plan.filters.flatMap(({ before, after }) => [pixels(before), pixels(after)]))
  return (
    BASE_BYTES +
    pixels(stored) * (DECODER_BYTES + DECODER_THREAD_BYTES * threads) +
    largest * FILTER_BYTES +
    pixels(plan.size) * (ENCODER_BYTES + ENCODER_THREAD_BYTES * threads)
  )
}

/**
 * Estimates the maximum memory of a screenshot in bytes. A screenshot runs no encoder, and its filters process a single
 * frame.
 */
export function stillMemoryFor(displayed: Size, stored: Size): number {
  const pixels = ({ width, height }: Size) => width * height
  return BASE_BYTES + pixels(stored) * (DECODER_BYTES + DECODER_THREAD_BYTES) + pixels(displayed) * FILTER_BYTES
}

export const COPYING_BYTES = BASE_BYTES
