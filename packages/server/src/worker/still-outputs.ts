import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { OUTPUTS } from '@mediamill/contract/endpoints/outputs'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, JobOf } from '@mediamill/engines/protocol/messages'
import type { RunOptions } from '../supervisor/engine-host.ts'
import type { JobContext } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'
import { runInLane } from './run-in-lane.ts'

const LANES = { 'videos/screenshot': 'video_look', 'documents/snapshot': 'document' } as const

type StillJob = JobOf<keyof typeof LANES>

export const hasStillOutputs = (job: JobOf<EndpointName>): job is StillJob =>
  job.task in LANES && Object.hasOwn(job.parameters, OUTPUTS)

/** Makes still outputs: the video or document engine draws a lossless image, which the image engine converts. */
export async function runStillOutputs(context: JobContext, job: StillJob, options: RunOptions): Promise<EngineDone> {
  const { outputs, ...parameters } = job.parameters
  const still = { ...job, parameters: { ...parameters, output: { format: 'png' } } }
  const drawn = await runInLane(context, LANES[job.task], still, options)
  const [file] = drawn.files
  if (file === undefined) throw new Error('an engine drew no image')
  const { limits } = context
  const conversion = {
    ...workOf({ endpoint: 'images/process', input: { outputs } }).work,
    input: { path: file.path, format: 'PNG' as const, size: file.size },
    assets: job.assets,
    scratch: job.scratch,
    limits: engineLimitsOf(limits, 'image'),
  }
  const made = await runInLane(context, 'image', conversion, { ...options, deadlineMs: limits.deadlineMs.image })
  return { ...made, data: { ...drawn.data, ...made.data } }
}
