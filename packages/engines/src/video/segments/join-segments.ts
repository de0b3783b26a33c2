import type { JoinParameters, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { parsePlan, segmentsOf } from '@mediamill/media/plan/video-segments'
import type { AdditionalInput, EngineDone, EngineJob } from '../../protocol/messages.ts'
import { checkWritten, resultPath } from '../../protocol/result-file.ts'
import type { CallWorker } from '../../protocol/serve.ts'
import { SHORTER } from '../libav/failures.ts'
import { Mp4Writer } from '../libav/mp4-writer.ts'
import { COPYING_BYTES } from '../memory.ts'
import { describeVideo } from '../process.ts'
import { PlanMismatchError } from '../tracks/segment-window.ts'
import { InterleavedAudio } from './interleaved-audio.ts'
import { JoinedAudio } from './joined-audio.ts'
import { JoinedVideo } from './joined-video.ts'
import { reportPlanMismatch } from './make-segment.ts'
import { readMetadataOf } from './segment-metadata.ts'

type JoinJob = Omit<EngineJob, 'input' | 'parameters'> & { parameters: JoinParameters }

export async function joinSegments(
  job: JoinJob,
  report: (percent: number) => void,
  callWorker: CallWorker,
): Promise<EngineDone> {
  const plan = parsePlan(job.parameters.plan)
  await callWorker({ type: 'reserve', bytes: COPYING_BYTES })
  return await reportPlanMismatch(async () => {
    await join(job, plan, report)
    return await describeVideo(job)
  })
}

async function join(job: JoinJob, plan: SegmentsPlan, report: (percent: number) => void): Promise<void> {
  const segments = segmentsOf(plan)
  const files = filesOf(job, segments.length)
  const metadata = readMetadataOf(job.parameters.parts, segments.length)
  const isInterleaved = metadata.some(({ sound: audio }) => typeof audio?.first === 'number')
  const hasAudio = isInterleaved || plan.sound === 'apart'
  await using writer = new Mp4Writer(resultPath(job, 'mp4'), hasAudio ? ['video', 'audio'] : ['video'], job)
  const videoSegments = metadata.flatMap((segmentMetadata, number) =>
    segments[number]?.kind === 'video' ? [{ ...segmentMetadata, number }] : [],
  )
  const video = new JoinedVideo(writer, plan)
  const [first] = metadata
  const isSeparate = plan.sound === 'apart' && first !== undefined
  await using audio = isSeparate ? await JoinedAudio.open(writer, fileOf(files, 0), first) : undefined
  const interleavedAudio = isInterleaved ? new InterleavedAudio(writer) : undefined
  for (const [index, { number, ...segmentMetadata }] of videoSegments.entries()) {
    const onTime = (seconds: number) => {
      audio?.copyUntil(seconds)
      checkWritten(writer.bytes, job.limits, SHORTER)
    }
    await video.add(fileOf(files, number), segmentMetadata, { onTime, interleavedAudio })
    report(Math.floor((99 * (index + 1)) / videoSegments.length))
  }
  video.finish()
  audio?.copyUntil(Number.POSITIVE_INFINITY)
  interleavedAudio?.finish()
  await writer.finish()
}

function filesOf({ assets }: JoinJob, segments: number): AdditionalInput[] {
  const files = assets.toSorted((a, b) => Number(a.url) - Number(b.url))
  if (files.length !== segments || files.some(({ url }, number) => url !== String(number))) {
    throw new RangeError(`expected one file for each of ${segments} segments (got ${files.length} files)`)
  }
  return files
}

function fileOf(files: readonly AdditionalInput[], number: number): AdditionalInput {
  const file = files[number]
  if (file === undefined) throw new PlanMismatchError(`segment ${number} is missing`)
  return file
}
