import { keysOf } from '@mediamill/contract/domain/drawn/thumbnail'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { times } from '@mediamill/contract/domain/money'
import type { Outcome, ResultFile } from '@mediamill/contract/domain/request'
import type { Claim } from '../requests/claim.ts'
import { endOf } from '../requests/events/end-line.ts'
import { findLinked } from '../requests/find.ts'
import { createHoldGrower } from '../requests/grow-hold.ts'
import { settlePatiently } from '../requests/settle-patiently.ts'
import { kindOf, traced, traceField } from '../telemetry/trace.ts'
import { startAttempt } from './attempt-span.ts'
import type { JobContext, WorkerContext } from './job-context.ts'
import { putToDestination } from './put-to-destination.ts'
import { runEngine } from './run-engine.ts'
import { StageClock } from './stage-clock.ts'
import { storeResults } from './store-results.ts'

/**
 * Brings a claimed request to its end: source, further sources, engine, store, settle.
 *
 * Resolves to the outcome, or to `undefined` when another end came first. Rejects only when the request stays open: the
 * signal stopped it, or this service, not the file, is to blame; then another attempt follows. Files of an outcome that
 * was not accepted are deleted again.
 */
export async function run(worker: WorkerContext, claim: Claim, signal: AbortSignal): Promise<Outcome | undefined> {
  const span = startAttempt(worker.tracer, claim)
  const clock = new StageClock()
  const growHold = createHoldGrower(worker.sql, claim)
  const log = worker.log.child({ request_id: claim.request.id, ...traceField(claim.trace) })
  await using afterEnd = new AsyncDisposableStack()
  try {
    return await attempt({ ...worker, span, log, clock, growHold, afterEnd }, claim, signal)
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

/** Does the work. What is the file's fault is an outcome; everything else is thrown. */
async function processToOutcome(context: JobContext, claim: Claim, signal: AbortSignal): Promise<Outcome> {
  const meter = { bytes: 0 }
  const { span, log, clock } = context
  try {
    await using folder = context.scratch.jobFolder()
    const { done, unitPrice } = await runEngine(context, claim, { folder: folder.path, meter, signal })
    signal.throwIfAborted()
    const price = times(unitPrice, done.units)
    await context.growHold(price)
    clock.enter('store')
    const requestId = claim.request.id
    await putToDestination(context, claim, done, signal)
    const files = await traced(span, 'store', () => storeResults(context.store, done, { requestId, signal, log }))
    return { status: 'succeeded', price, data: done.data, files, sourceBytes: meter.bytes, took: clock.read() }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    const { code, message, operation, cause } = error
    if (cause !== undefined) log.info({ code, err: cause }, 'the cause of a failure, which the client is not told')
    const failure = operation === undefined ? { code, message } : { code, message, operation }
    return { status: 'failed', error: failure, sourceBytes: meter.bytes, took: clock.read() }
  }
}

/** Writes the outcome into the request's row. Tells whether it was accepted. */
async function settleOutcome(
  context: JobContext,
  claim: Claim,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<boolean> {
  const { span, log } = context
  const onAway = (error: unknown) => log.warn({ err: error }, 'the database is away; a finished request waits')
  const telling = { onAddressed: context.wakeDeliveries, secretKey: context.secretKey }
  const patience = { signal, onAway, trace: span?.headers, ...telling }
  const settled = await traced(span, 'settle', () =>
    settlePatiently(context.sql, claim.held, outcome, context.retentionMs, patience),
  )
  if (outcome.status === 'failed') span?.fail(outcome.error.code)
  span?.note({ outcome: settled === undefined ? 'lost' : outcome.status })
  if (settled !== undefined) log.info(...endOf(settled))
  return settled !== undefined
}

/** Deletes the files of an outcome that was not accepted, but for those that a commit of ours published unseen. */
async function deleteUnpublished(worker: WorkerContext, claim: Claim, files: ResultFile[]): Promise<void> {
  const current = await findLinked(worker.sql, claim.request.id)
  const published = current?.request.status === 'succeeded' ? keysOf(current.request.files) : []
  for (const key of keysOf(files)) if (!published.includes(key)) await worker.store.delete(key)
}
