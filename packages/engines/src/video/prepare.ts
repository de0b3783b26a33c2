import type { VideoPlan } from '@mediamill/media/plan/video'
import { planVideo } from '@mediamill/media/plan/video'
import type { JobOf } from '../protocol/messages.ts'
import { displayedSizeOf } from './facts.ts'
import type { Media } from './libav/media.ts'
import { isPlainH264 } from './tracks/plain-h264.ts'

/** What is known of a job before its first packet is read. */
export type Prepared = {
  plan: VideoPlan
  stored: { width: number; height: number }
  isCopied: boolean
  /** How long the result is going to be, where the header tells. */
  seconds: number | undefined
}

/** Judges everything that the header tells. Throws `RequestFailure` for what cannot be made. */
export function prepare(
  media: Media,
  { parameters, limits }: Pick<JobOf<'videos/process'>, 'parameters' | 'limits'>,
): Prepared {
  const { operations, max_duration: maxSeconds } = parameters
  const plan = planVideo(operations, displayedSizeOf(media), limits)
  const { width, height } = media.video.codecpar
  // A cut among packets that refer to one another would leave holes.
  const isCut = maxSeconds !== undefined && (media.durationSeconds ?? Number.POSITIVE_INFINITY) > maxSeconds
  const isCopied = plan.filters.length === 0 && !isCut && isPlainH264(media)
  return { plan, stored: { width, height }, isCopied, seconds: isCut ? maxSeconds : media.durationSeconds }
}
