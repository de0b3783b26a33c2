import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import { RequestFailure } from '../domain/errors.ts'
import type { MediaType } from '../domain/media.ts'
import { mediaTypeOf } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import { times } from '../domain/money.ts'
import type { Lane, Outcome, ResultFile } from '../domain/request.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { laneOf } from '../endpoints/endpoint.ts'
import { endpointNamed } from '../endpoints/index.ts'
import { parametersOf } from '../endpoints/validation.ts'
import type { EngineDone } from '../engines/protocol/messages.ts'
import { sniff } from '../media/formats/sniff.ts'
import type { OperationInput } from '../operations/schema.ts'
import type { DownloadOptions } from '../outbound/fetch/download.ts'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import { openSparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Network } from '../outbound/network.ts'
import type { Claim } from '../requests/claim.ts'
import { noteProgress } from '../requests/claim.ts'
import { endOf } from '../requests/end-line.ts'
import { findLinked } from '../requests/find.ts'
import type { HoldGrower } from '../requests/grow-hold.ts'
import { createHoldGrower } from '../requests/grow-hold.ts'
import type { Links } from '../requests/present.ts'
import { settlePatiently } from '../requests/settle-patiently.ts'
import { findStoredSource } from '../requests/uploads/stored-source.ts'
import type { Span, Tracer } from '../runtime/telemetry/trace.ts'
import { kindOf, traced, traceField } from '../runtime/telemetry/trace.ts'
import type { Store } from '../store/store.ts'
import type { EngineHost, RunOptions } from '../supervisor/engine-host.ts'
import type { Scratch } from '../supervisor/scratch.ts'
import { fetchAssets } from './assets.ts'
import { startAttempt } from './attempt-span.ts'
import type { JobLimits } from './job-limits.ts'
import { StageClock } from './stage-clock.ts'
import { storeResults } from './store-results.ts'
import { openStoredFile } from './stored-file.ts'
import { unsupportedSource } from './unsupported.ts'

/** What a job needs of the worker. */
export type Workshop = {
  sql: Sql
  tracer?: Tracer | undefined
  scratch: Scratch
  /** The engines there are: requests of a medium without one wait in the queue. */
  engines: Partial<Record<MediaType, EngineHost>>
  /** Jobs of each lane that are with an engine or wait for one: counted here, read by who claims. */
  load: Record<Lane, number>
  store: Store
  network: Network
  /** What links of our own are known by: results of this service are sources too. */
  links: Links
  limits: JobLimits
  retentionMs: number
  log: Logger
}

/**
 * Carries a claimed request to its end: source, assets, engine, store, settle.
 *
 * Resolves to the outcome, or to `undefined` when another end came first. Rejects only when the request stays open: the
 * signal stopped it, or this service, not the file, is to blame; then another attempt follows. Files of an outcome that
 * was not accepted are deleted again.
 */
export async function run(shop: Workshop, claim: Claim, signal: AbortSignal): Promise<Outcome | undefined> {
  const span = startAttempt(shop.tracer, claim)
  const clock = new StageClock()
  const growHold = createHoldGrower(shop.sql, claim)
  const log = shop.log.child({ request_id: claim.request.id, ...traceField(claim.trace) })
  try {
    return await carry({ ...shop, span, log, clock, growHold }, claim, signal)
  } catch (error) {
    span?.fail(kindOf(error))
    throw error
  } finally {
    span?.end()
  }
}

/** The workshop as one attempt has it: `log` names its request. */
type Bench = Workshop & { span: Span | undefined; clock: StageClock; growHold: HoldGrower }

async function carry(bench: Bench, claim: Claim, signal: AbortSignal): Promise<Outcome | undefined> {
  const outcome = await findOutcome(bench, claim, signal)
  const isOurs = signal.aborted ? false : await conclude(bench, claim, outcome, signal)
  if (!isOurs && outcome.status === 'succeeded') await discard(bench, claim, outcome.files)
  signal.throwIfAborted()
  return isOurs ? outcome : undefined
}

/** Tells whether the outcome was accepted. */
async function conclude(bench: Bench, claim: Claim, outcome: Outcome, signal: AbortSignal): Promise<boolean> {
  const { span, log } = bench
  const onAway = (error: unknown) => log.warn({ err: error }, 'the database is away; a finished request waits')
  const patience = { signal, onAway, trace: span?.headers }
  const settled = await traced(span, 'settle', () =>
    settlePatiently(bench.sql, claim.held, outcome, bench.retentionMs, patience),
  )
  if (outcome.status === 'failed') span?.fail(outcome.error.code)
  span?.note({ outcome: settled === undefined ? 'lost' : outcome.status })
  if (settled !== undefined) log.info(...endOf(settled))
  return settled !== undefined
}

async function findOutcome(bench: Bench, claim: Claim, signal: AbortSignal): Promise<Outcome> {
  const meter = { bytes: 0 }
  const { span, log, clock } = bench
  try {
    await using folder = bench.scratch.jobFolder()
    const { done, unitPrice } = await process(bench, claim, folder.path, meter, signal)
    signal.throwIfAborted()
    const price = times(unitPrice, done.units)
    await bench.growHold(price)
    clock.enter('store')
    const requestId = claim.request.id
    const files = await traced(span, 'store', () => storeResults(bench.store, done.files, { requestId, signal, log }))
    return { status: 'succeeded', price, data: done.data, files, sourceBytes: meter.bytes, took: clock.read() }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    const { code, message, operation, cause } = error
    if (cause !== undefined) log.info({ code, err: cause }, 'the cause of a failure, which the client is not told')
    const failure = operation === undefined ? { code, message } : { code, message, operation }
    return { status: 'failed', error: failure, sourceBytes: meter.bytes, took: clock.read() }
  }
}

async function process(
  bench: Bench,
  { request, held, maxSourceBytes, unitPrice: agreed }: Claim,
  folder: string,
  meter: { bytes: number },
  signal: AbortSignal,
): Promise<{ done: EngineDone; unitPrice: MicroUsd }> {
  const endpoint = endpointNamed(request.endpoint)
  const unitPrice = agreed ?? endpoint.price
  const { media } = endpoint
  const { span } = bench
  const engine = bench.engines[media]
  if (engine === undefined) throw new Error(`this worker has no engine for ${media}s`)
  const parameters = parametersOf(endpoint, request.input)
  const path = join(folder, 'source')
  const fetching = {
    maxBytes: maxSourceBytes,
    deadlineMs: DOWNLOAD_MS[media],
    received: meter,
    network: bench.network,
    signal,
  }
  await using source = await traced(span, 'source', () => fetchSource(bench, endpoint, request, path, fetching))
  const format = sniff(source.head)
  // wall: a file of another medium
  if (format === undefined || mediaTypeOf(format) !== media) throw unsupportedSource(endpoint, source.head, format)
  const assets = await fetchAssets(operationsOf(parameters), folder, {
    maxBytes: bench.limits.watermarkBytes,
    network: bench.network,
    signal,
    async openStored(url, to, options) {
      const stored = await findStoredSource(bench.sql, bench.links, request, url)
      return stored && (await openStoredFile(bench.store, stored, to, options))
    },
  })
  bench.clock.enter('process')
  const lane = laneOf(endpoint)
  bench.load[lane] += 1
  using _engaged = {
    [Symbol.dispose]: () => {
      bench.load[lane] -= 1
    },
  }
  const job = {
    task: endpoint.name,
    input: {
      path,
      format,
      size: source.size,
      ...(source.presentBytes < source.size && { presentBytes: source.presentBytes }),
    },
    assets,
    parameters,
    scratch: folder,
    limits: {
      maxFramePixels: bench.limits.framePixels,
      maxSourcePixels: bench.limits.sourcePixels,
      maxResultBytes: bench.limits.resultBytes[media],
    },
  }
  const watch: RunOptions = {
    signal,
    requestId: request.id,
    deadlineMs: Math.min(bench.limits.deadlineMs[media], endpoint.deadlineMs ?? Number.POSITIVE_INFINITY),
    async onRequest(asked) {
      if (asked.type === 'read') await source.fetch(asked.offset, asked.length)
      if (asked.type === 'worth') await bench.growHold(times(unitPrice, asked.units))
    },
    onProgress: (percent) => void noteProgress(bench.sql, held, percent).catch(() => undefined),
  }
  const done = await traced(span, 'engine', () => engine.run(job, watch))
  return { done, unitPrice }
}

async function fetchSource(
  bench: Bench,
  endpoint: Endpoint,
  request: Claim['request'],
  path: string,
  options: DownloadOptions,
): Promise<SparseFile> {
  const { firstBytes } = endpoint
  const url = request.source
  const stored = await findStoredSource(bench.sql, bench.links, request, url)
  if (stored !== undefined) {
    return await openStoredFile(bench.store, stored, path, {
      ...options,
      ...(firstBytes !== undefined && { firstBytes }),
    })
  }
  const isSample = options.network.samples?.has(url) === true
  if (firstBytes !== undefined && !isSample) return await openSparseFile(url, path, { ...options, firstBytes })
  const { bytes, head } = await download(url, path, options)
  return { size: bytes, head, presentBytes: bytes, fetch: async () => {}, [Symbol.asyncDispose]: async () => {} }
}

/** What the endpoint's schema has made of `operations`; endpoints that read have none. */
function operationsOf(parameters: Record<string, unknown>): OperationInput[] {
  return (parameters['operations'] as OperationInput[] | undefined) ?? []
}

/** Another end came first. What an unseen commit of ours has already published is kept. */
async function discard(shop: Workshop, claim: Claim, files: ResultFile[]): Promise<void> {
  const current = await findLinked(shop.sql, claim.request.id)
  const published = current?.request.status === 'succeeded' ? current.request.files.map((file) => file.key) : []
  for (const { key } of files) if (!published.includes(key)) await shop.store.delete(key)
}
