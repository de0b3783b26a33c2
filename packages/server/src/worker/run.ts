import { RequestFailure } from '@mediamill/contract/domain/errors'
import { times } from '@mediamill/contract/domain/money'
import type { Outcome, ResultFile } from '@mediamill/contract/domain/request'
import { toRequestError } from '@mediamill/contract/domain/request'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { Claim } from '../requests/claim.ts'
import { endOf } from '../requests/events/end-line.ts'
import { findLinked } from '../requests/find.ts'
import { createIncreaseHold } from '../requests/increase-hold.ts'
import { keysOf } from '../requests/result-files.ts'
import { retryWhileAway } from '../requests/retry-while-away.ts'
import { settle } from '../requests/settle.ts'
import { kindOf, traced, traceField } from '../telemetry/trace.ts'
import { startAttempt } from './attempt-span.ts'
import type { JobContext, WorkerContext } from './job-context.ts'
import { nameFiles } from './made-files.ts'
import { putToDestinations } from './put-to-destination.ts'
import { runEngine } from './run-engine.ts'
import { runVideo } from './run-video.ts'
import { StageClock } from './stage-clock.ts'
import { storeResults } from './store-results.ts'

/**
 * Runs one attempt of a request, and returns its outcome. Rejects if the request stays open. If another worker has
 * claimed the request, deletes the result files and returns `undefined`.
 */
export async function run(worker: WorkerContext, claim: Claim, signal: AbortSignal): Promise<Outcome | undefined> {
  const span = startAttempt(worker.tracer, claim)
  const clock = new StageClock()
  const increaseHold = createIncreaseHold(worker.sql, claim)
  const { request, callId, trace } = claim
  const log = worker.log.child({
    request_id: request.id,
    ...(callId !== null && { call_id: callId }),
    ...traceField(trace),
  })
  await using afterEnd = new AsyncDisposableStack()
  try {
    return await attempt({ ...worker, span, log, clock, increaseHold, afterEnd }, claim, signal)
  } catch (error) {
    span?.fail(kindOf(error))
    throw error
  } finally {
    span?.end()
  }
}

async function attempt(context: JobContext, claim: Claim, signal: AbortSignal): Promise<Outcome | undefined> {
  const outcome = await processToOutcome(context, claim, signal)
  const isOurs = signal.aborted ? false : await settleOutcome(context, claim, outcome, signal)
  if (!isOurs && outcome.status === 'succeeded') await deleteUnpublished(context, claim, outcome.files)
  signal.throwIfAborted()
  return isOurs ? outcome : undefined
}

async function processToOutcome(context: JobContext, claim: Claim, signal: AbortSignal): Promise<Outcome> {
  const meter = { bytes: 0 }
  const { span, log, clock } = context
  try {
    await using folder = context.scratch.jobFolder()
    const { endpoint, work } = workOf(claim.request)
    const runJob = endpoint.lane === 'video' ? runVideo : runEngine
    const done = await runJob(context, claim, { folder: folder.path, meter, signal })
    signal.throwIfAborted()
    const price = times(claim.unitPrice ?? endpoint.price, done.units)
    await context.increaseHold(price)
    clock.enter('store')
    const requestId = claim.request.id
    const made = nameFiles(done, work.parameters)
    await putToDestinations(context, claim, made, signal)
    const files = await traced(span, 'store', () => storeResults(context.store, made, { requestId, signal, log }))
    return { status: 'succeeded', price, data: done.data, files, sourceBytes: meter.bytes, took: clock.read() }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    const { code, cause } = error
    if (cause !== undefined) log.info({ code, err: cause }, 'request failed; only this line shows the cause')
    return { status: 'failed', error: toRequestError(error), sourceBytes: meter.bytes, took: clock.read() }
  }
}

async function settleOutcome(
  context: JobContext,
  claim: Claim,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<boolean> {
  const { span, log } = context
  const onAway = (error: unknown) =>
    log.debug({ err: error }, 'database unavailable; outcome of a request not recorded yet')
  const options = { trace: span?.headers, onAddressed: context.wakeDeliveries }
  const settleNow = () => settle(context.sql, claim.lease, outcome, context.retentionMs, options)
  // If an earlier try was committed but its response was lost, the next try returns `undefined`.
  const settled = await traced(span, 'settle', () => retryWhileAway(settleNow, { signal, onAway }))
  if (outcome.status === 'failed') span?.fail(outcome.error.code)
  span?.note({ outcome: settled === undefined ? 'lost' : outcome.status })
  if (settled !== undefined) log.info(...endOf(settled, claim.lease))
  return settled !== undefined
}

/**
 * Deletes the result files of an attempt whose outcome was not recorded. If the outcome was recorded but the response
 * was lost, keeps the files.
 */
async function deleteUnpublished(worker: WorkerContext, claim: Claim, files: ResultFile[]): Promise<void> {
  const current = await findLinked(worker.sql, claim.request.id)
  const published = current?.request.status === 'succeeded' ? keysOf(current.request.files) : []
  for (const key of keysOf(files)) if (!published.includes(key)) await worker.store.delete(key)
}
