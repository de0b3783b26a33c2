import type { EngineDone } from '@mediamill/engines/protocol/messages'
import type { Claim } from '../requests/claim.ts'
import { fetchSource } from './fetch-source.ts'
import type { Attempt, JobContext } from './job-context.ts'
import { engineOptions, prepareJob } from './run-engine.ts'
import { runInLane } from './run-in-lane.ts'
import { chooseSplit, processSplitVideo, splitVideo, withCuts } from './segments/process-split-video.ts'
import { FIRST_BYTES, fetchRest } from './segments/segment-source.ts'

/** Makes a video. Processes it unsplit if it cannot be split, or a segment fails for another reason than the file. */
export async function runVideo(context: JobContext, claim: Claim, attempt: Attempt): Promise<EngineDone> {
  const split = await chooseSplit(context, claim)
  if (split.plan !== undefined) {
    context.clock.enter('process')
    const options = engineOptions(context, claim, attempt)
    const done = await processSplitVideo(context, claim, split.segments, split.plan, { ...attempt, options })
    if (done !== undefined) return done
    context.clock.enter('download')
  }
  const fetched = await fetchSource(context, claim, attempt, split.mode === 'plan' ? FIRST_BYTES : undefined)
  await using source = fetched.file
  const job = withCuts(await prepareJob(context, claim.request, attempt, source), context.segments)
  context.clock.enter('process')
  const options = engineOptions(context, claim, attempt, source)
  if (split.mode === 'plan') {
    const done = await splitVideo(context, claim, attempt, { ...fetched, job, options, segments: split.segments })
    if (done !== undefined) return done
    await fetchRest(source, attempt.signal)
  }
  const { path, format, size } = job.input
  return await runInLane(context, 'video', { ...job, input: { path, format, size } }, options)
}
