import { times } from '@mediamill/contract/domain/money'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, JobOf } from '@mediamill/engines/protocol/messages'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import type { Claim } from '../requests/claim.ts'
import { updateProgress } from '../requests/claim.ts'
import type { RunOptions } from '../supervisor/engine-host.ts'
import { sourceInput } from './engine-input.ts'
import { fetchSource, sourcePath } from './fetch-source.ts'
import { fetchFurtherOf } from './further-sources.ts'
import type { Attempt, JobContext, WorkerContext } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'
import { runInLane } from './run-in-lane.ts'
import { hasStillOutputs, runStillOutputs } from './still-outputs.ts'

export async function runEngine(context: JobContext, claim: Claim, attempt: Attempt): Promise<EngineDone> {
  const { firstBytes, lane } = workOf(claim.request).endpoint
  await using source = (await fetchSource(context, claim, attempt, firstBytes)).file
  const job = await prepareJob(context, claim.request, attempt, source)
  context.clock.enter('process')
  const options = engineOptions(context, claim, attempt, source)
  if (!hasStillOutputs(job)) return await runInLane(context, lane, job, options)
  return await runStillOutputs(context, job, options)
}

export async function prepareJob(
  context: WorkerContext,
  request: MediaRequest,
  attempt: Pick<Attempt, 'folder' | 'signal'>,
  source: SparseFile,
): Promise<JobOf<EndpointName>> {
  const { endpoint, work } = workOf(request)
  const input = sourceInput(endpoint, sourcePath(attempt), source)
  const assets = await fetchFurtherOf(context, request, endpoint.sources?.(work.parameters) ?? [], attempt)
  return {
    ...work,
    input,
    assets,
    scratch: attempt.folder,
    limits: engineLimitsOf(context.limits, endpoint.media),
  }
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
    async onCall(call) {
      if (call.type === 'read') await source?.fetch(call.offset, call.length)
      if (call.type === 'estimate') await increaseHold(times(claim.unitPrice ?? endpoint.price, call.units))
    },
    onProgress: (percent) => void updateProgress(sql, claim.lease, percent).catch(() => undefined),
  }
}
