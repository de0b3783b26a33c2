import { join } from 'node:path'
import type { SourceFormat } from '../domain/media.ts'
import { mediaTypeOf } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import { times } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { EndpointName } from '../endpoints/index.ts'
import { workOf } from '../endpoints/work.ts'
import type { EngineDone, EngineFile, JobOf } from '../engines/protocol/messages.ts'
import { sniff } from '../media/formats/sniff.ts'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import { openSparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Claim } from '../requests/claim.ts'
import { updateProgress } from '../requests/claim.ts'
import { findStoredSource } from '../requests/uploads/stored-source.ts'
import { traced } from '../runtime/telemetry/trace.ts'
import type { RunOptions } from '../supervisor/engine-host.ts'
import { fetchFurtherSources } from './further-sources.ts'
import type { JobContext, WorkerContext } from './job-context.ts'
import { withPdfThumbnail } from './pdf-thumbnail.ts'
import { openStoredFile } from './stored-file.ts'
import { unsupportedSource } from './unsupported.ts'

/** The parts of one attempt. They are its folder, its count of received bytes, and what stops it. */
export type Attempt = { folder: string; meter: { bytes: number }; signal: AbortSignal }

/** Fetches the files of a request and runs the engine of its lane. */
export async function runEngine(
  context: JobContext,
  claim: Claim,
  { folder, meter, signal }: Attempt,
): Promise<{ done: EngineDone; unitPrice: MicroUsd }> {
  const { endpoint, work } = workOf(claim.request)
  const unitPrice = claim.unitPrice ?? endpoint.price
  const { span, limits, network } = context
  const engine = context.engines[endpoint.lane]
  if (engine === undefined) throw new Error(`this worker has no engine for the lane ${endpoint.lane}`)
  await using source = await traced(span, 'source', () =>
    fetchSource(context, endpoint, claim, { folder, meter, signal }),
  )
  const format = checkedFormat(endpoint, source)
  const further = endpoint.sources?.(work.parameters) ?? []
  const assets = await fetchFurtherSources(further, folder, {
    maxBytes: limits.watermarkBytes,
    network,
    connections: context.connections?.of(claim.request.accountId),
    signal,
    async openStored(url, to, options) {
      const stored = await findStoredSource(context.sql, context.links, claim.request, url)
      return stored && (await openStoredFile(context.store, stored, to, { ...options, onAway: onAwayOf(context) }))
    },
  })
  context.clock.enter('process')
  using _engaged = countedIn(context.load, endpoint.lane)
  const job: JobOf<EndpointName> = {
    ...work,
    input: fileOf(source, join(folder, 'source'), format),
    assets,
    scratch: folder,
    limits: {
      maxFramePixels: limits.framePixels,
      maxSourcePixels: limits.sourcePixels,
      maxResultBytes: limits.resultBytes[endpoint.media],
    },
    ...(context.thumbnails !== 'off' && { thumbnail: true }),
  }
  const options: RunOptions = {
    signal,
    requestId: claim.request.id,
    deadlineMs: Math.min(limits.deadlineMs[endpoint.media], endpoint.deadlineMs ?? Number.POSITIVE_INFINITY),
    async onAsk(asked) {
      if (asked.type === 'read') await source.fetch(asked.offset, asked.length)
      if (asked.type === 'estimate') await context.growHold(times(unitPrice, asked.units))
    },
    onProgress: (percent) => void updateProgress(context.sql, claim.held, percent).catch(() => undefined),
  }
  const done = await traced(span, 'engine', () => engine.run(job, options))
  return { done: await withPdfThumbnail(context, engine, { job, done, signal }), unitPrice }
}

/** Fetches the source, or only its beginning where the endpoint needs little of it. */
async function fetchSource(
  context: WorkerContext,
  endpoint: Endpoint,
  { request, maxSourceBytes }: Claim,
  { folder, meter, signal }: Attempt,
): Promise<SparseFile> {
  const { sql, links, store, network } = context
  const path = join(folder, 'source')
  const url = request.source
  const { firstBytes, media } = endpoint
  const connections = context.connections?.of(request.accountId)
  const deadlineMs = DOWNLOAD_MS[media]
  const options = { maxBytes: maxSourceBytes, deadlineMs, received: meter, network, connections, signal }
  const stored = await findStoredSource(sql, links, request, url)
  if (stored !== undefined) {
    const onAway = onAwayOf(context)
    const part = firstBytes !== undefined && { firstBytes }
    return await openStoredFile(store, stored, path, { ...options, ...part, onAway })
  }
  const isSample = network.samples?.has(url) === true
  if (firstBytes !== undefined && !isSample) return await openSparseFile(url, path, { ...options, firstBytes })
  const { bytes, head } = await download(url, path, options)
  return { size: bytes, head, presentBytes: bytes, fetch: async () => {}, [Symbol.asyncDispose]: async () => {} }
}

const onAwayOf =
  ({ log }: Pick<WorkerContext, 'log'>) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'the store did not give a source; trying until it does')

/** Finds the format of a source. Throws when it is none of its medium. */
function checkedFormat(endpoint: Endpoint, { head }: SparseFile): SourceFormat {
  const format = sniff(head)
  // wall: a file of another medium
  if (format === undefined || mediaTypeOf(format) !== endpoint.media) throw unsupportedSource(endpoint, head, format)
  return format
}

const fileOf = ({ size, presentBytes }: SparseFile, path: string, format: SourceFormat): EngineFile => ({
  path,
  format,
  size,
  ...(presentBytes < size && { presentBytes }),
})

/** Counts a job in its lane until it is disposed of. */
function countedIn(load: Record<Lane, number>, lane: Lane): Disposable {
  load[lane] += 1
  return {
    [Symbol.dispose]() {
      load[lane] -= 1
    },
  }
}
