import type { CutExtras } from '@mediamill/media/plan/video-segments'
import type { JobOf } from '../../protocol/messages.ts'
import type { AskWorker } from '../../protocol/serve.ts'
import type { Media } from '../libav/media.ts'
import type { Prepared } from '../prepare.ts'
import { frameRateOf } from '../tracks/h264.ts'
import type { Stretches } from '../tracks/video-track.ts'
import { withMedia } from '../with-media.ts'
import { groupOf } from './bounds.ts'
import type { CutJob, CutVideo } from './cut-video.ts'
import { cutVideo, methodOf, unlessDamaged } from './cut-video.ts'

export type ProcessJob = JobOf<'videos/process'> & { parameters: Partial<CutExtras> }

/** Finds the stretches to encode separately in an unsplit video, with the same bounds as segments of a split video. */
export async function findStretches(
  job: ProcessJob,
  prepared: Prepared,
  ask: AskWorker,
): Promise<Stretches | undefined> {
  if (prepared.isCopied || !isCut(job)) return undefined
  const use = async (media: Media) => {
    const method = methodOf(media)
    const found = method && (await cutVideo(media, job, { prepared, method }))
    return found && stretchesOf(media, found)
  }
  return await unlessDamaged(() => withMedia(job.input, ask, use))
}

const isCut = (job: ProcessJob): job is CutJob => job.parameters.part_seconds !== undefined

function stretchesOf(media: Media, { cuts: found, seconds, timeBase }: CutVideo): Stretches {
  const cuts = found.map(({ time }) => Number(time))
  const whole = { cuts, time_base: timeBase, seconds, encoder: { rate: frameRateOf(media) } }
  return { cuts: cuts.map(BigInt), groupFrames: [...cuts, seconds].map((_cut, index) => groupOf(whole, index)) }
}
