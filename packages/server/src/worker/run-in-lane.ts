import type { Lane } from '@mediamill/contract/domain/request'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { RunOptions } from '../supervisor/engine-host.ts'
import { traced } from '../telemetry/trace.ts'
import type { JobContext } from './job-context.ts'
import { countedIn, engineOf } from './job-context.ts'

export async function runInLane(
  { engines, load, span }: JobContext,
  lane: Lane,
  job: EngineJob,
  options: RunOptions,
): Promise<EngineDone> {
  const engine = engineOf(engines, lane)
  using _engaged = countedIn(load, lane)
  return await traced(span, 'engine', () => engine.run(job, options))
}
