import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { MAX_CUTS } from '@mediamill/media/plan/video-segments'
import { avGetCodecName } from 'node-av/lib'
import type { EngineDone } from '../../protocol/messages.ts'
import { hashFile } from '../../protocol/result-file.ts'
import type { CallWorker } from '../../protocol/serve.ts'
import { isCopiedAudio } from '../libav/codecs.ts'
import type { Media } from '../libav/media.ts'
import { stillMemoryFor } from '../memory.ts'
import { displayedSizeOf } from '../metadata.ts'
import type { Prepared } from '../prepare.ts'
import { prepare } from '../prepare.ts'
import { startedMinutes } from '../process.ts'
import { withMedia } from '../with-media.ts'
import type { CutJob, CutMethod } from './cut-video.ts'
import { cutVideo, methodOf, unlessDamaged } from './cut-video.ts'
import type { FoundCut } from './find-cuts.ts'
import type { Settled } from './settle-coding.ts'
import { settleCoding } from './settle-coding.ts'

// The maximum bytes to read, in total and for each cut: enough for the index of a long video and for 4K keyframes.
const MAX_READ_BYTES = 128_000_000
const MAX_READ_BYTES_PER_CUT = 4_000_000

type Beginning = { prepared: Prepared; settled: Settled | undefined; method: CutMethod | undefined }

/** Plans the segments of a video. Ignores damaged frames, because processing reports them. */
export async function planSegments(job: CutJob, _report: unknown, callWorker: CallWorker): Promise<EngineDone> {
  const beginning = await withLimitedMedia(job, callWorker, async (media): Promise<Beginning> => {
    const { width, height } = media.video.codecpar
    await callWorker({ type: 'reserve', bytes: stillMemoryFor(displayedSizeOf(media), { width, height }) })
    const prepared = prepare(media, job)
    const method = prepared.isCopied ? undefined : methodOf(media)
    const settled = method && (await unlessDamaged(() => settleCoding(media, job.limits.maxFramePixels)))
    return { prepared, settled, method }
  })
  const plan = await unlessDamaged(() => planCuts(job, beginning, callWorker))
  const seconds = plan?.seconds ?? beginning.prepared.seconds
  const units = seconds === undefined ? 1 : startedMinutes(seconds)
  return { data: { plan: plan === undefined ? null : JSON.stringify(plan) }, files: [], units }
}

/** Opens the video with a limit of bytes to read, which requires a byte source even for a complete file. */
const withLimitedMedia = <T>(job: CutJob, callWorker: CallWorker, use: (media: Media) => Promise<T>): Promise<T> =>
  withMedia({ presentBytes: job.input.size, ...job.input }, callWorker, use, {
    maxReadBytes: MAX_READ_BYTES + MAX_READ_BYTES_PER_CUT * MAX_CUTS,
  })

async function planCuts(
  job: CutJob,
  { prepared, settled, method }: Beginning,
  callWorker: CallWorker,
): Promise<SegmentsPlan | undefined> {
  if (settled === undefined || method === undefined) return undefined
  const { input, assets } = job
  const use = async (media: Media) => {
    const audio = audioOf(media)
    const found = await cutVideo(media, job, { prepared, method })
    return found && { ...found, sound: audio }
  }
  const found = await (method === 'index' ? withLimitedMedia(job, callWorker, use) : withMedia(input, callWorker, use))
  if (found === undefined) return undefined
  const { cuts, seconds, timeBase, sound: audio } = found
  const { coding, isInterlaced } = settled
  const { timeBase: codedBase, ...rest } = coding
  return {
    version: 2,
    size: input.size,
    assets: await Array.fromAsync(assets, ({ path }) => hashFile(path)),
    cuts: cuts.map(({ time }) => Number(time)),
    time_base: timeBase,
    places: cuts.flatMap(({ byteOffset }) => byteOffset ?? []),
    jumps: changesOf(cuts),
    seconds,
    sound: audio,
    isInterlaced,
    encoder: { time_base: codedBase, ...rest },
  }
}

function audioOf({ format, audio }: Media): SegmentsPlan['sound'] {
  if (audio === undefined) return 'none'
  const isIndexed = format === 'MP4' || format === 'MOV'
  return isIndexed && isCopiedAudio(avGetCodecName(audio.codecpar.codecId) ?? '') ? 'beside' : 'apart'
}

function changesOf(cuts: readonly FoundCut[]): SegmentsPlan['jumps'] {
  return cuts.flatMap(({ jumpSeconds }, cut) =>
    jumpSeconds === (cuts[cut - 1]?.jumpSeconds ?? 0) ? [] : [{ cut, seconds: jumpSeconds }],
  )
}
