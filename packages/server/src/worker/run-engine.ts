import type { SourceFormat } from '@mediamill/contract/domain/media'
import { mediaTypeOf } from '@mediamill/contract/domain/media'
import { times } from '@mediamill/contract/domain/money'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineJob, JobOf } from '@mediamill/engines/protocol/messages'
import { sniff } from '@mediamill/media/formats/sniff'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Claim } from '../requests/claim.ts'
import { updateProgress } from '../requests/claim.ts'
import type { RunOptions } from '../supervisor/engine-host.ts'
import { traced } from '../telemetry/trace.ts'
import { fetchSource, sourcePath } from './fetch-source.ts'
import { fetchFurtherOf } from './further-sources.ts'
import type { Attempt, JobContext } from './job-context.ts'
import { countedIn } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'
import { hasStillOutputs, runStillOutputs } from './still-outputs.ts'
import { unsupportedSource } from './unsupported.ts'

export type LaneRunner = (context: JobContext, claim: Claim, attempt: Attempt) => Promise<EngineDone>

export async function runEngine(context: JobContext, claim: Claim, attempt: Attempt): Promise<EngineDone> {
  const { firstBytes } = workOf(claim.request).endpoint
  await using source = (await fetchSource(context, claim, attempt, firstBytes)).file
  const job = await prepareJob(context, claim, attempt, source)
  const options = engineOptions(context, claim, attempt, source)
  if (!hasStillOutputs(job)) return await runJob(context, claim, job, options)
  return await runStillOutputs(context, job, {
    run: (lane, part, partOptions) => runInLane(context, lane, part, partOptions),
    options,
  })
}

export async function prepareJob(
  context: JobContext,
  { request }: Claim,
  attempt: Attempt,
  source: SparseFile,
): Promise<JobOf<EndpointName>> {
  const { endpoint, work } = workOf(request)
  const format = checkedFormat(endpoint, source)
  const { size, presentBytes } = source
  const assets = await fetchFurtherOf(context, request, endpoint.sources?.(work.parameters) ?? [], attempt)
  context.clock.enter('process')
  return {
    ...work,
    input: { path: sourcePath(attempt), format, size, ...(presentBytes < size && { presentBytes }) },
    assets,
    scratch: attempt.folder,
    limits: engineLimitsOf(context.limits, endpoint.media),
  }
}

export async function runJob(
  context: JobContext,
  { request }: Claim,
  job: EngineJob,
  options: RunOptions,
): Promise<EngineDone> {
  return await runInLane(context, workOf(request).endpoint.lane, job, options)
}

async function runInLane(
  { engines, load, span }: JobContext,
  lane: Lane,
  job: EngineJob,
  options: RunOptions,
): Promise<EngineDone> {
  const engine = engines[lane]
  if (engine === undefined) throw new Error(`this worker has no engine for the lane ${lane}`)
  using _engaged = countedIn(load, lane)
  return await traced(span, 'engine', () => engine.run(job, options))
}

export function engineOptions(
  { limits, sql, increaseHold }: JobContext,
  claim: Claim,
  { signal }: Pick<Attempt, 'signal'>,
  source?: SparseFile,
): RunOptions {
  const { endpoint } = workOf(claim.request)
  return {
    signal,
    requestId: claim.request.id,
    deadlineMs: Math.min(limits.deadlineMs[endpoint.media], endpoint.deadlineMs ?? Number.POSITIVE_INFINITY),
    async onAsk(asked) {
      if (asked.type === 'read') await source?.fetch(asked.offset, asked.length)
      if (asked.type === 'estimate') await increaseHold(times(claim.unitPrice ?? endpoint.price, asked.units))
    },
    onProgress: (percent) => void updateProgress(sql, claim.lease, percent).catch(() => undefined),
  }
}

function checkedFormat(endpoint: Endpoint, { head }: SparseFile): SourceFormat {
  const format = sniff(head)
  if (format === undefined || mediaTypeOf(format) !== endpoint.media) throw unsupportedSource(endpoint, head, format)
  return format
}
