import type { MediaType } from '@mediamill/contract/domain/media'
import type { EngineLimits } from '@mediamill/engines/protocol/messages'

/** Limits on every job of this worker (limits.media.1). Each limit is a setting. */
export type JobLimits = {
  framePixels: number
  sourcePixels: number
  watermarkBytes: number
  resultBytes: Record<MediaType, number>
  deadlineMs: Record<MediaType, number>
}

export const engineLimitsOf = (limits: JobLimits, media: MediaType): EngineLimits => ({
  maxFramePixels: limits.framePixels,
  maxSourcePixels: limits.sourcePixels,
  maxResultBytes: limits.resultBytes[media],
})
