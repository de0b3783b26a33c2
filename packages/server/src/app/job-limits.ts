import type { Config } from '../config/config.ts'
import type { JobLimits } from '../worker/job-limits.ts'

export function jobLimitsOf(config: Config): JobLimits {
  return {
    framePixels: config.maxFramePixels,
    sourcePixels: config.maxSourcePixels,
    watermarkBytes: config.maxWatermarkBytes,
    resultBytes: {
      image: config.maxImageResultBytes,
      video: config.maxVideoResultBytes,
      document: config.maxDocumentResultBytes,
    },
    deadlineMs: {
      image: config.imageDeadlineMs,
      video: config.videoDeadlineMs,
      document: config.documentDeadlineMs,
    },
  }
}
