import { avGetCodecName } from 'node-av/lib'
import { RequestFailure } from '../../../domain/errors.ts'
import type { Size } from '../../../domain/size.ts'
import type { PartsPlan, PlanExtras } from '../../../media/plan/video-parts.ts'
import { MAX_CUTS } from '../../../media/plan/video-parts.ts'
import type { EngineDone, JobOf } from '../../protocol/messages.ts'
import type { AskWorker } from '../../protocol/serve.ts'
import { displayedSizeOf } from '../facts.ts'
import { isCopiedSound } from '../libav/codecs.ts'
import { LibavError } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { stillMemoryFor } from '../memory.ts'
import type { Prepared } from '../prepare.ts'
import { prepare } from '../prepare.ts'
import { startedMinutes } from '../process.ts'
import { lookAround, withMedia } from '../with-media.ts'
import { hashAssets } from './asset-hashes.ts'
import type { FoundCut, Wanted } from './find-cuts.ts'
import { countParts, evenSeconds, findCuts } from './find-cuts.ts'
import { chooseCuts, scan } from './scan-cuts.ts'
import type { Settled } from './settle-coding.ts'
import { settleCoding } from './settle-coding.ts'

export type PlanJob = JobOf<'videos/process'> & { parameters: PlanExtras }

// A part starts a process, opens the source and decodes some frames twice: a third of a second of a processor. So many
// pixels of frames take about 15 seconds.
const PART_PIXELS = 900_000_000
// Parts are made shorter where all places then end together, but not by more.
const SHORTEST_SHARE = 0.6
// An index of two hours has 10 MB, and a keyframe of 4K half of one.
const LOOK_BYTES = 128_000_000
const LOOK_BYTES_A_CUT = 4_000_000

/** What the beginning of a file tells. */
type Beginning = { prepared: Prepared; settled: Settled | undefined; way: 'index' | 'bytes' | undefined }

/** Does the task of planning a video in parts. What is wrong with its frames is left to who makes it in one piece. */
export async function planParts(job: PlanJob, _report: unknown, ask: AskWorker): Promise<EngineDone> {
  const beginning = await look(job, ask, async (media): Promise<Beginning> => {
    const { width, height } = media.video.codecpar
    await ask({ type: 'reserve', bytes: stillMemoryFor(displayedSizeOf(media), { width, height }) })
    const prepared = prepare(media, job)
    const way = prepared.isCopied ? undefined : wayOf(media)
    const settled = way && (await unlessDamaged(() => settleCoding(media, job.limits.maxFramePixels)))
    return { prepared, settled, way }
  })
  const plan = await unlessDamaged(() => cut(job, beginning, ask))
  const seconds = plan?.seconds ?? beginning.prepared.seconds
  const units = seconds === undefined ? 1 : startedMinutes(seconds)
  return { data: { plan: plan === undefined ? null : JSON.stringify(plan) }, files: [], units }
}

const look = <T>(job: PlanJob, ask: AskWorker, use: (media: Media) => Promise<T>): Promise<T> =>
  lookAround(job.input, ask, { maxReadBytes: LOOK_BYTES + LOOK_BYTES_A_CUT * MAX_CUTS, use })

async function unlessDamaged<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestFailure || error instanceof LibavError) return undefined
    throw error
  }
}

/** How cuts are found: by the file's index, by reading all of it, or not at all. */
function wayOf({ format, context }: Media): Beginning['way'] {
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
      // A bare video stream has no times.
      return context.iformat?.name === 'mpeg' ? 'bytes' : undefined
  }
}

async function cut(
  job: PlanJob,
  { prepared, settled, way }: Beginning,
  ask: AskWorker,
): Promise<PartsPlan | undefined> {
  if (settled === undefined) return undefined
  const wantedOf = (seconds: number | undefined) => lengthsOf(job, { prepared, settled }, seconds)
  const { input, assets } = job
  const { cuts, wanted, media } =
    way === 'index'
      ? await look(job, ask, async (media) => {
          const wanted = wantedOf(prepared.seconds)
          return { wanted, cuts: wanted === undefined ? [] : await findCuts(media, wanted), media: factsOf(media) }
        })
      : await withMedia(input, ask, async (media) => {
          const { max_duration: maxSeconds } = job.parameters
          const scanned = await scan(media, maxSeconds)
          const wanted = wantedOf(Math.min(maxSeconds ?? Number.POSITIVE_INFINITY, scanned.seconds))
          return { wanted, cuts: wanted === undefined ? [] : chooseCuts(media, scanned, wanted), media: factsOf(media) }
        })
  if (wanted === undefined || cuts.length === 0) return undefined
  const { coding, isInterlaced } = settled
  const { timeBase, ...rest } = coding
  return {
    version: 2,
    size: input.size,
    assets: await hashAssets(assets),
    cuts: cuts.map(({ time }) => Number(time)),
    time_base: media.timeBase,
    places: cuts.flatMap(({ place }) => place ?? []),
    jumps: changesOf(cuts),
    seconds: wanted.seconds,
    sound: media.sound,
    isInterlaced,
    encoder: { time_base: timeBase, ...rest },
  }
}

const factsOf = (media: Media) => {
  const { num, den } = media.video.timeBase
  return { timeBase: { num, den }, sound: soundOf(media) }
}

/**
 * How the sound is made. In these files an index tells where each of its packets lies, so that every part finds the same
 * ones on either side of a cut; it has them at hand, between its pictures.
 */
function soundOf({ format, audio }: Media): PartsPlan['sound'] {
  if (audio === undefined) return 'none'
  const isIndexed = format === 'MP4' || format === 'MOV'
  return isIndexed && isCopiedSound(avGetCodecName(audio.codecpar.codecId) ?? '') ? 'beside' : 'apart'
}

/** How long the parts are to be; `undefined` where there would be only one. */
function lengthsOf(
  { parameters }: PlanJob,
  { prepared: { plan, stored }, settled }: { prepared: Prepared; settled: Settled },
  seconds: number | undefined,
): Wanted | undefined {
  const pixels = ({ width, height }: Size) => width * height
  const { num, den } = settled.coding.rate
  const pixelsASecond = (Math.max(pixels(stored), pixels(plan.size)) * num) / den
  const leastSeconds = (parameters.part_pixels ?? PART_PIXELS) / pixelsASecond
  const partSeconds = Math.max(parameters.part_seconds, leastSeconds)
  if (seconds === undefined) return undefined
  const wanted = { seconds, partSeconds, maxParts: MAX_CUTS + 1 }
  if (countParts(wanted) < 2) return undefined
  const least = Math.max(leastSeconds, SHORTEST_SHARE * partSeconds)
  return { ...wanted, partSeconds: evenSeconds(wanted, least, parameters.places ?? 1) }
}

/** The corrections of times, each once, with the first cut that it is for. */
function changesOf(cuts: readonly FoundCut[]): PartsPlan['jumps'] {
  return cuts.flatMap(({ jumpSeconds }, cut) =>
    jumpSeconds === (cuts[cut - 1]?.jumpSeconds ?? 0) ? [] : [{ cut, seconds: jumpSeconds }],
  )
}
