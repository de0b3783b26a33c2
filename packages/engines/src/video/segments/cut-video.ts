import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import type { CutExtras, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { MAX_CUTS } from '@mediamill/media/plan/video-segments'
import type { JobOf } from '../../protocol/messages.ts'
import type { CallWorker } from '../../protocol/serve.ts'
import { LibavError } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Prepared } from '../prepare.ts'
import { frameRateOf } from '../tracks/h264.ts'
import type { Stretches } from '../tracks/video-track.ts'
import { withMedia } from '../with-media.ts'
import { groupOf } from './bounds.ts'
import type { CutTargets, FoundCut } from './find-cuts.ts'
import { countSegments, findCuts } from './find-cuts.ts'
import { chooseCuts, scan } from './scan-cuts.ts'

export type CutJob = JobOf<'videos/process'> & { parameters: CutExtras }

type CutVideo = { cuts: FoundCut[]; seconds: number; timeBase: SegmentsPlan['time_base'] }

export type CutMethod = 'index' | 'bytes'

// Starting a segment, reading, and repeated frames cost CPU time, so segments must not be too small.
const SEGMENT_PIXELS = 900_000_000

export function methodOf({ format, context }: Media): CutMethod | undefined {
  switch (format) {
    case 'MP4':
    case 'MOV':
    case 'MKV':
    case 'WEBM':
    case 'AVI':
      return 'index'
    case 'FLV':
    case 'MPEGTS':
      return 'bytes'
    case 'MPEG':
      // A video without a container has no times to cut at.
      return context.iformat?.name === 'mpeg' ? 'bytes' : undefined
  }
}

/** Finds where to cut a video. Cuts are at keyframes. They depend on the file and the job, but not on the workers. */
export async function cutVideo(
  media: Media,
  job: CutJob,
  { prepared, method }: { prepared: Prepared; method: CutMethod },
): Promise<CutVideo | undefined> {
  const { num, den } = media.video.timeBase
  const found = method === 'index' ? await byIndex(media, job, prepared) : await byBytes(media, job, prepared)
  return found === undefined || found.cuts.length === 0 ? undefined : { ...found, timeBase: { num, den } }
}

async function byIndex(media: Media, job: CutJob, prepared: Prepared) {
  const targets = lengthsOf(media, job, { prepared, seconds: prepared.seconds })
  return targets && { cuts: await findCuts(media, targets), seconds: targets.seconds }
}

async function byBytes(media: Media, job: CutJob, prepared: Prepared) {
  const { max_duration: maxSeconds } = job.parameters
  const scanned = await scan(media, maxSeconds)
  const seconds = Math.min(maxSeconds ?? Number.POSITIVE_INFINITY, scanned.seconds)
  const targets = lengthsOf(media, job, { prepared, seconds })
  return targets && { cuts: chooseCuts(media, scanned, targets), seconds: targets.seconds }
}

function lengthsOf(
  media: Media,
  { parameters }: CutJob,
  { prepared: { plan, stored }, seconds }: { prepared: Prepared; seconds: number | undefined },
): CutTargets | undefined {
  if (seconds === undefined || seconds <= (parameters.longer_than ?? 0)) return undefined
  const pixels = ({ width, height }: Size) => width * height
  const { num, den } = frameRateOf(media)
  const pixelsASecond = (Math.max(pixels(stored), pixels(plan.size)) * num) / den
  const minSeconds = (parameters.part_pixels ?? SEGMENT_PIXELS) / pixelsASecond
  const segmentSeconds = Math.max(parameters.part_seconds, minSeconds)
  const targets = { seconds, segmentSeconds, maxSegments: MAX_CUTS + 1 }
  return countSegments(targets) < 2 ? undefined : targets
}

/** Runs `work`. Returns `undefined` for a damaged file. Processing the video unsplit then reports the error. */
export async function unlessDamaged<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestFailure || error instanceof LibavError) return undefined
    throw error
  }
}

export type ProcessJob = JobOf<'videos/process'> & { parameters: Partial<CutExtras> }

/**
 * Finds the stretches of an unsplit video. It is encoded in stretches with the same bounds as the segments of a split
 * video.
 */
export async function findStretches(
  job: ProcessJob,
  prepared: Prepared,
  callWorker: CallWorker,
): Promise<Stretches | undefined> {
  if (prepared.isCopied || !isCut(job)) return undefined
  const use = async (media: Media) => {
    const method = methodOf(media)
    const found = method && (await cutVideo(media, job, { prepared, method }))
    return found && stretchesOf(media, found)
  }
  return await unlessDamaged(() => withMedia(job.input, callWorker, use))
}

const isCut = (job: ProcessJob): job is CutJob => job.parameters.part_seconds !== undefined

function stretchesOf(media: Media, { cuts: found, seconds, timeBase }: CutVideo): Stretches {
  const cuts = found.map(({ time }) => Number(time))
  const whole = { cuts, time_base: timeBase, seconds, encoder: { rate: frameRateOf(media) } }
  return { cuts: cuts.map(BigInt), groupFrames: [...cuts, seconds].map((_cut, index) => groupOf(whole, index)) }
}
