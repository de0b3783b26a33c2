import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { VideoSegment } from '@mediamill/media/plan/video-segments'
import { parsePlan, segmentsOf } from '@mediamill/media/plan/video-segments'
import type { EngineDone } from '../../protocol/messages.ts'
import { describeResult, hashFile } from '../../protocol/result-file.ts'
import type { CallWorker } from '../../protocol/serve.ts'
import { SHORTER } from '../libav/failures.ts'
import { LibavError } from '../libav/libav.ts'
import { NotCopiedError } from '../tracks/copied-track.ts'
import { PlanMismatchError, StartTooLateError } from '../tracks/segment-window.ts'
import { makeAudioSegment } from './make-audio-segment.ts'
import { makeVideoSegment } from './make-video-segment.ts'
import type { SegmentContext, SegmentJob } from './segment-context.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

export async function makeSegment(
  job: SegmentJob,
  report: (percent: number) => void,
  callWorker: CallWorker,
): Promise<EngineDone> {
  const plan = parsePlan(job.parameters.plan)
  const onShare = (share: number) => report(Math.max(0, Math.min(99, Math.floor(share * 100))))
  return await reportPlanMismatch(async () => {
    const metadata = await make({ job, plan, callWorker, onShare }, job.parameters.part)
    return { data: { is_made: true, ...metadata }, files: [await describeResult(job, 'mp4', SHORTER)], units: 1 }
  })
}

async function make(context: SegmentContext, number: number): Promise<SegmentMetadata> {
  const { job, plan } = context
  const segment: VideoSegment | undefined = segmentsOf(plan)[number]
  if (segment === undefined) throw new RangeError(`the plan has no segment ${number}`)
  if (job.input.size !== plan.size) throw new PlanMismatchError('the source has changed')
  const hashes = await Array.fromAsync(job.assets, ({ path }) => hashFile(path))
  if (hashes.join() !== plan.assets.join()) throw new PlanMismatchError('an additional file has changed')
  return segment.kind === 'audio'
    ? await makeAudioSegment(context)
    : await makeVideoSegment(context, plan.sound === 'apart' ? number - 1 : number)
}

/** Runs `work`. If the plan does not fit the file, returns a result with the reason. */
export async function reportPlanMismatch(work: () => Promise<EngineDone>): Promise<EngineDone> {
  try {
    return await work()
  } catch (error) {
    if (!isOfTheFile(error)) throw error
    return { data: { is_made: false, reason: error.message.slice(0, 1000) }, files: [], units: 1 }
  }
}

const isOfTheFile = (error: unknown): error is Error =>
  [PlanMismatchError, StartTooLateError, NotCopiedError, RequestFailure, LibavError].some(
    (kind) => error instanceof kind,
  )
