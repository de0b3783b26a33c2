import type { VideoPlan } from '@mediamill/media/plan/video'
import { planVideo } from '@mediamill/media/plan/video'
import type { JobOf } from '../protocol/messages.ts'
import type { Media } from './libav/media.ts'
import { displayedSizeOf } from './metadata.ts'
import { isPlainH264 } from './tracks/plain-h264.ts'

export type Prepared = {
  plan: VideoPlan
  stored: { width: number; height: number }
  isCopied: boolean
  /** The expected duration of the result in seconds; `undefined` if the header has none. */
  seconds: number | undefined
}

/** Plans a job from the header of the source. Throws `RequestFailure` if no result is possible. */
export function prepare(
  media: Media,
  { parameters, limits }: Pick<JobOf<'videos/process'>, 'parameters' | 'limits'>,
): Prepared {
  const { operations, max_duration: maxSeconds } = parameters
  const plan = planVideo(operations, displayedSizeOf(media), limits)
  const { width, height } = media.video.codecpar
  // A shortened video is encoded: a cut between dependent packets would leave gaps.
  const isCut = maxSeconds !== undefined && (media.durationSeconds ?? Number.POSITIVE_INFINITY) > maxSeconds
  const isCopied = plan.filters.length === 0 && !isCut && isPlainH264(media)
  return { plan, stored: { width, height }, isCopied, seconds: isCut ? maxSeconds : media.durationSeconds }
}
