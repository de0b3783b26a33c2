import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { OUTPUTS } from '@mediamill/contract/endpoints/outputs'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineJob, JobOf } from '@mediamill/engines/protocol/messages'
import type { RunOptions } from '../supervisor/engine-host.ts'
import type { JobContext } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'

type RunInLane = (lane: 'image' | 'document' | 'video_look', job: EngineJob, options: RunOptions) => Promise<EngineDone>

const LANES = { 'videos/screenshot': 'video_look', 'documents/snapshot': 'document' } as const

type StillJob = JobOf<keyof typeof LANES>

export const hasStillOutputs = (job: JobOf<EndpointName>): job is StillJob =>
  job.task in LANES && Object.hasOwn(job.parameters, OUTPUTS)

/** Makes still outputs: the video or document engine draws a lossless image, which the image engine converts. */
export async function runStillOutputs(
  { limits }: JobContext,
  job: StillJob,
  { run, options }: { run: RunInLane; options: RunOptions },
): Promise<EngineDone> {
  const { outputs, ...parameters } = job.parameters
  const drawn = await run(
    LANES[job.task],
    { ...job, parameters: { ...parameters, output: { format: 'png' } } },
    options,
  )
  const [still] = drawn.files
  if (still === undefined) throw new Error('an engine drew no image')
  const { work } = workOf({ endpoint: 'images/process', input: { outputs } })
  const { path, size } = still
  const made = await run(
    'image',
    {
      ...work,
      input: { path, format: 'PNG', size },
      assets: job.assets,
      scratch: job.scratch,
      limits: engineLimitsOf(limits, 'image'),
    },
    { ...options, deadlineMs: limits.deadlineMs.image },
  )
  return { ...made, data: { ...drawn.data, ...made.data } }
}
