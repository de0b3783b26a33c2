import type { MediaType } from '@mediamill/contract/domain/media'
import type { EngineLimits } from '@mediamill/engines/protocol/messages'
import { x264Instructions } from './x264-instructions.ts'

/** The limits of jobs, from the settings (limits.media.1). */
export type JobLimits = {
  framePixels: number
  sourcePixels: number
  watermarkBytes: number
  resultBytes: Record<MediaType, number>
  deadlineMs: Record<MediaType, number>
}

const X264_INSTRUCTIONS = x264Instructions()

export const engineLimitsOf = (limits: JobLimits, media: MediaType): EngineLimits => ({
  maxFramePixels: limits.framePixels,
  maxSourcePixels: limits.sourcePixels,
  maxResultBytes: limits.resultBytes[media],
  x264Instructions: X264_INSTRUCTIONS,
})
