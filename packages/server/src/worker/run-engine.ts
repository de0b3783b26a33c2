import { join } from 'node:path'
import type { SourceFormat } from '@mediamill/contract/domain/media'
import { mediaTypeOf } from '@mediamill/contract/domain/media'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { times } from '@mediamill/contract/domain/money'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineFile, EngineJob, JobOf } from '@mediamill/engines/protocol/messages'
import { sniff } from '@mediamill/media/formats/sniff'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import { openSparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Claim } from '../requests/claim.ts'
import { updateProgress } from '../requests/claim.ts'
import type { RunOptions } from '../supervisor/engine-host.ts'
import { traced } from '../telemetry/trace.ts'
import type { StoredFile } from '../uploads/stored-source.ts'
import { findStoredSource } from '../uploads/stored-source.ts'
import { fetchFurtherOf } from './further-sources.ts'
import type { JobContext, WorkerContext } from './job-context.ts'
import { countedIn } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'
import type { Way } from './parts/in-parts.ts'
import { chooseWay, makeInParts, planParts, withCuts } from './parts/in-parts.ts'
import { FIRST_BYTES, fetchRest, stateOf } from './parts/part-source.ts'
import type { Parts } from './parts/parts.ts'
import { withPdfThumbnail } from './pdf-thumbnail.ts'
import { onStoreAway, openStoredFile } from './stored-file.ts'
import { unsupportedSource } from './unsupported.ts'

/** The parts of one attempt. They are its folder, its count of received bytes, and what stops it. */
export type Attempt = { folder: string; meter: { bytes: number }; signal: AbortSignal }

/** Fetches the files of a request and runs the engine of its lane. A long video may be made in parts, by many. */
export async function runEngine(
  context: JobContext,
  claim: Claim,
  attempt: Attempt,
): Promise<{ done: EngineDone; unitPrice: MicroUsd }> {
  const { endpoint } = workOf(claim.request)
  const unitPrice = claim.unitPrice ?? endpoint.price
  const way = await chooseWay(context, claim)
  if (way.way === 'carry on') {
    const options = optionsFor(context, claim, { endpoint, unitPrice, signal: attempt.signal })
    context.clock.enter('process')
    const done = await makeInParts(context, claim, way.parts, way.plan, { ...attempt, options })
    if (done !== undefined) return { done, unitPrice }
    context.clock.enter('download')
  }
  return { done: await runFromSource(context, claim, attempt, { unitPrice, way }), unitPrice }
}

async function runFromSource(
  context: JobContext,
  claim: Claim,
  attempt: Attempt,
  { unitPrice, way }: { unitPrice: MicroUsd; way: Way },
): Promise<EngineDone> {
  const { folder, signal } = attempt
  const { request } = claim
  const { endpoint, work } = workOf(request)
  const engine = context.engines[endpoint.lane]
  if (engine === undefined) throw new Error(`this worker has no engine for the lane ${endpoint.lane}`)
  const firstBytes = way.way === 'plan' ? FIRST_BYTES : endpoint.firstBytes
  const fetched = await traced(context.span, 'source', () => fetchSource(context, claim, attempt, endpoint, firstBytes))
  await using source = fetched.file
  const format = checkedFormat(endpoint, source)
  const assets = await fetchFurtherOf(context, request, endpoint.sources?.(work.parameters) ?? [], { folder, signal })
  context.clock.enter('process')
  const job: JobOf<EndpointName> = {
    ...withCuts(work, context.parts),
    input: fileOf(source, join(folder, 'source'), format),
    assets,
    scratch: folder,
    limits: engineLimitsOf(context.limits, endpoint.media),
    ...(context.thumbnails !== 'off' && { thumbnail: true }),
  }
  const options = optionsFor(context, claim, { endpoint, unitPrice, signal, source })
  if (way.way === 'plan') {
    const done = await tryInParts(context, claim, attempt, { ...fetched, job, options, ...way })
    if (done !== undefined) return done
    // What makes a video reads all of it.
    job.input = { path: job.input.path, format, size: source.size }
  }
  using _engaged = countedIn(context.load, endpoint.lane)
  const done = await traced(context.span, 'engine', () => engine.run(job, options))
  return await withPdfThumbnail(context, engine, { job, done, signal })
}

type Engaging = { endpoint: Endpoint; unitPrice: MicroUsd; signal: AbortSignal; source?: SparseFile }

function optionsFor(context: JobContext, claim: Claim, { endpoint, unitPrice, signal, source }: Engaging): RunOptions {
  const { limits, sql } = context
  return {
    signal,
    requestId: claim.request.id,
    deadlineMs: Math.min(limits.deadlineMs[endpoint.media], endpoint.deadlineMs ?? Number.POSITIVE_INFINITY),
    async onAsk(asked) {
      if (asked.type === 'read') await source?.fetch(asked.offset, asked.length)
      if (asked.type === 'estimate') await context.growHold(times(unitPrice, asked.units))
    },
    onProgress: (percent) => void updateProgress(sql, claim.held, percent).catch(() => undefined),
  }
}

/** A source, and the files of the store that it is made of, if the store has it. */
type Fetched = { file: SparseFile; stored?: StoredFile | undefined }

type Planned = { job: EngineJob; options: RunOptions; parts: Parts }

/**
 * Plans a video in parts and makes them. `undefined`: it goes in one piece, and its source is whole.
 *
 * Meanwhile the rest of a source comes from elsewhere: it may be there only for a while, and one piece may have to do.
 */
async function tryInParts(
  context: JobContext,
  claim: Claim,
  attempt: Attempt,
  { file, stored, job, options, parts }: Fetched & Planned,
): Promise<EngineDone | undefined> {
  const state = stateOf(file, stored)
  const engine = context.engines.video_look
  // Progress of planning is none of the video.
  const { onProgress: _none, ...planning } = options
  const plan = state && engine && (await planParts(context, claim, { engine, job, options: planning, state }))
  if (plan === undefined) {
    await fetchRest(file, attempt.signal)
    return undefined
  }
  const copying = new AbortController()
  const signal = AbortSignal.any([attempt.signal, copying.signal])
  const copied = stored === undefined ? fetchRest(file, signal) : Promise.resolve()
  copied.catch(() => undefined)
  try {
    const done = await makeInParts(context, claim, parts, plan, { ...attempt, options })
    if (done === undefined) await (stored === undefined ? copied : fetchRest(file, attempt.signal))
    return done
  } finally {
    copying.abort(new Error('the parts of the video are made'))
    await copied.catch(() => undefined)
  }
}

/** Fetches the source, or only its beginning where little of it is needed at first. */
async function fetchSource(
  context: WorkerContext,
  { request, maxSourceBytes }: Claim,
  { folder, meter, signal }: Attempt,
  { media }: Endpoint,
  firstBytes: number | undefined,
): Promise<Fetched> {
  const { sql, links, store, network, log } = context
  const path = join(folder, 'source')
  const url = request.source
  const connections = context.connections?.of(request.accountId)
  const deadlineMs = DOWNLOAD_MS[media]
  const options = { maxBytes: maxSourceBytes, deadlineMs, received: meter, network, connections, signal }
  const stored = await findStoredSource(sql, links, request, url)
  if (stored !== undefined) {
    const beginning = { ...options, ...(firstBytes !== undefined && { firstBytes }), onAway: onStoreAway(log) }
    return { file: await openStoredFile(store, stored, path, beginning), stored }
  }
  const isSample = network.samples?.has(url) === true
  if (firstBytes !== undefined && !isSample)
    return { file: await openSparseFile(url, path, { ...options, firstBytes }) }
  const { bytes, head } = await download(url, path, options)
  return {
    file: { size: bytes, head, presentBytes: bytes, fetch: async () => {}, [Symbol.asyncDispose]: async () => {} },
  }
}

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
