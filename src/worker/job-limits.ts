import type { MediaType } from '../domain/media.ts'

/** Bounds on every job of this worker (rulings 9); all are settings. */
export type JobLimits = {
  /** Pixels of any one picture, and of all frames of a source. */
  framePixels: number
  sourcePixels: number
  watermarkBytes: number
  resultBytes: Record<MediaType, number>
  deadlineMs: Record<MediaType, number>
}
