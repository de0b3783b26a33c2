import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Job } from '@mediamill/cli/src/batch/job'
import type { Done, LocalOptions } from '@mediamill/cli/src/batch/runner'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { findEndpoint } from '@mediamill/contract/endpoints/index'
import { validateBody } from '@mediamill/contract/endpoints/validation'
import type { AdditionalInput, EngineDone } from '@mediamill/engines/protocol/messages'
import type { Config } from '../../config/config.ts'
import { DOWNLOAD_MS, download } from '../../outbound/fetch/download.ts'
import type { SparseFile } from '../../outbound/fetch/source-file.ts'
import { copySource } from '../../outbound/fetch/source-file.ts'
import type { Network } from '../../outbound/network.ts'
import { openResult } from '../../store/result-file.ts'
import { EngineCrashError } from '../../supervisor/engine-crash.ts'
import type { EngineHost } from '../../supervisor/engine-host.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import type { PrivateFolder } from '../../supervisor/isolation/private-folder.ts'
import { forgetSandbox } from '../../supervisor/isolation/verdict.ts'
import type { Scratch, ScratchFolder } from '../../supervisor/scratch.ts'
import { sourceInput, watermarkInput } from '../../worker/engine-input.ts'
import { sourcePath } from '../../worker/fetch-source.ts'
import type { JobLimits } from '../../worker/job-limits.ts'
import { engineLimitsOf } from '../../worker/job-limits.ts'
import { openStoredFile } from '../../worker/stored-file.ts'

type LocalContext = {
  engines: (lane: Lane) => EngineHost
  scratch: Scratch
  limits: JobLimits
  config: Config
  notes: PrivateFolder | undefined
}

/** Runs a job locally, with the checks of an API call. Throws `ApiError` (bad body), `RequestFailure` (job failed). */
export async function runLocally(context: LocalContext, job: Job, { signal, onProgress }: LocalOptions): Promise<Done> {
  const endpoint = findEndpoint(job.endpoint)
  if (endpoint === undefined) throw new RangeError(`no such endpoint: ${job.endpoint}`)
  const named = job.source.kind === 'url' ? job.source.url : job.source.path
  const { parameters } = validateBody(endpoint, { ...job.body, source: named })
  const { limits, config, scratch } = context
  const network: Network = {
    allowedHosts: config.allowedPrivateHosts,
    blockedNetworks: config.blockedNetworks,
  }
  const folder = scratch.jobFolder()
  try {
    const run = { folder: folder.path, network, signal }
    await using source = await fetchSource(endpoint, job, run)
    const input = sourceInput(endpoint, sourcePath(run), source)
    const assets = await fetchAssets(endpoint, parameters, run, limits)
    onProgress('working')
    const bounds = engineLimitsOf(limits, endpoint.media)
    const work = { task: endpoint.name, parameters, input, assets, scratch: folder.path, limits: bounds }
    const done = await context.engines(endpoint.lane).run(work, {
      signal,
      deadlineMs: Math.min(limits.deadlineMs[endpoint.media], endpoint.deadlineMs ?? Number.POSITIVE_INFINITY),
      // An engine also reports estimates for the price. They are ignored, because a local job has no price.
      onCall: async (call) => void (call.type === 'read' && (await source.fetch(call.offset, call.length))),
      onProgress: (percent) => onProgress(`${percent} %`),
    })
    return await presentDone(done, folder)
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    // The engine process ended, so the sandbox may no longer work. The next command tests the sandbox again.
    if (error instanceof Error && error.cause instanceof EngineLost) await forgetSandbox(context.notes)
    if (!(error instanceof EngineCrashError)) throw error
    throw new RequestFailure('processing_failed', 'The file could not be processed now. Try again later.', {
      cause: error.cause,
    })
  }
}

type LocalRun = { folder: string; network: Network; signal: AbortSignal }

/** Copies the source to the job's folder, because an engine must own its files. A local source has no size limit. */
async function fetchSource(
  endpoint: Endpoint,
  { source }: Job,
  { folder, network, signal }: LocalRun,
): Promise<SparseFile> {
  const path = sourcePath({ folder })
  const options = { maxBytes: Number.MAX_SAFE_INTEGER, signal }
  if (source.kind === 'url')
    return await download(source.url, path, { ...options, network, deadlineMs: DOWNLOAD_MS[endpoint.media] })
  const { size } = await stat(source.path)
  const { firstBytes = size } = endpoint
  return await openStoredFile(LOCAL_FILES, [{ key: source.path, size }], path, { ...options, firstBytes })
}

const LOCAL_FILES = {
  open: async (key: string, range?: { start: number; end: number }) => ({
    size: 0,
    body: createReadStream(key, range),
  }),
}

async function fetchAssets(
  endpoint: Endpoint,
  parameters: Record<string, unknown>,
  { folder, network, signal }: LocalRun,
  limits: JobLimits,
): Promise<AdditionalInput[]> {
  const urls = new Set((endpoint.sources?.(parameters) ?? []).map(({ url }) => url))
  const fetched: AdditionalInput[] = []
  for (const url of urls) {
    const path = join(folder, `asset-${fetched.length}`)
    const options = { maxBytes: limits.watermarkBytes, deadlineMs: DOWNLOAD_MS.image, network, signal }
    await using file = /^https?:/i.test(url)
      ? await download(url, path, { ...options, subject: 'watermark image' })
      : await copySource(url, path)
    fetched.push(watermarkInput(url, path, file))
  }
  return fetched
}

/** Returns the result of a job. The job's folder is deleted when the caller has saved all files. */
async function presentDone({ data, files }: EngineDone, folder: ScratchFolder): Promise<Done> {
  if (files.length === 0) await folder[Symbol.asyncDispose]()
  let unsaved = files.length
  return {
    data,
    files: files.map((made) => ({
      sha256: made.sha256,
      saveTo: async (path) => {
        await copyPlain(made.path, path)
        unsaved -= 1
        if (unsaved === 0) await folder[Symbol.asyncDispose]()
      },
    })),
  }
}

/** Copies a regular file with the user's default permissions. Throws for other kinds of files, such as links. */
async function copyPlain(from: string, to: string): Promise<void> {
  using result = openResult(from)
  await pipeline(result.read(), createWriteStream(to, { flags: 'wx' }))
}
