import type { Size } from '@mediamill/contract/domain/size'
import type { VideoPlan } from '@mediamill/media/plan/video'

// What a job holds, per pixel of a frame: frames that wait for one another in the decoder and in the encoder with its
// look-ahead, and one more for each thread. Measured with 2 threads, 4K to 4K: 959 and 1,030 MB held, 1,080 said here.
const BASE_BYTES = 180_000_000
const DECODER_BYTES = 20
const DECODER_THREAD_BYTES = 6
const ENCODER_BYTES = 45
const ENCODER_THREAD_BYTES = 8
const FILTER_BYTES = 16

/** Estimates the memory that a job takes at most, in bytes. Jobs are started only while the machine has it to spare. */
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
 * Estimates the memory of a job that makes one picture. No encoder waits for frames, and the filters see a single one.
 */
export function stillMemoryFor(displayed: Size, stored: Size): number {
  const pixels = ({ width, height }: Size) => width * height
  return BASE_BYTES + pixels(stored) * (DECODER_BYTES + DECODER_THREAD_BYTES) + pixels(displayed) * FILTER_BYTES
}

/** What a job that copies its packets holds. */
export const COPYING_BYTES = BASE_BYTES
