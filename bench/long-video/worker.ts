import { copyFile, link, stat } from 'node:fs/promises'
import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { COMPILE_CACHE } from '../../src/app/postgres/paths.ts'
import type { VideoSourceFormat } from '../../src/domain/media.ts'
import type { EngineAsset, EngineDone } from '../../src/engines/protocol/messages.ts'
import type { SparseFile } from '../../src/outbound/fetch/sparse-file.ts'
import { openSparseFile } from '../../src/outbound/fetch/sparse-file.ts'
import { parseAllowedHosts } from '../../src/outbound/guard/allowed-hosts.ts'
import { createLog } from '../../src/runtime/telemetry/log.ts'
import { openCodeCache } from '../../src/supervisor/code-cache.ts'
import { chooseIsolation } from '../../src/supervisor/isolation/isolation.ts'
import { openScratch } from '../../src/supervisor/scratch.ts'
import { createVideoEngines } from '../../src/supervisor/video-engines.ts'

/** A job for a worker of the bench. Its source is fetched by ranges, or lies there whole; parts have no source but files. */
export type BenchJob = {
  task: string
  parameters: Record<string, unknown>
  source?: { file: string; url: string; host: string; format: VideoSourceFormat; isByRanges: boolean }
  parts?: string[]
  /** Where the result goes. */
  keep?: string
}

export type BenchReply = { done: EngineDone } | { error: string }

const GIB = 1024 ** 3
const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 2 * GIB }
const FIRST_BYTES = 2 * 1024 * 1024

// As a worker does.
enableCompileCache(COMPILE_CACHE)
await using scratch = await openScratch(process.argv[2] ?? '')
const log = createLog('silent', 'bench')
const entry = path.join(import.meta.dirname, '../../src/engines/video/main.ts')
const codeCache = await openCodeCache([entry])
const isolation = await chooseIsolation({ setting: 'auto', scratch, entries: [entry], log, codeCache })
const engines = createVideoEngines({
  entry,
  concurrency: 1,
  memoryBytes: 4 * GIB,
  fileBytes: LIMITS.maxResultBytes,
  deadlineMs: 3_600_000,
  sourceMs: 600_000,
  budgetBytes: 4 * GIB,
  isolation,
  scratch,
  log,
})

process.on('message', (job: BenchJob) => {
  work(job).then(
    (done) => process.send?.({ done }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.once('disconnect', () => {
  void endEngines()
})
process.send?.({ tier: isolation.tier })
await new Promise(() => {})

async function endEngines(): Promise<void> {
  await engines[Symbol.asyncDispose]()
  process.exit()
}

/** Does a job as a worker of the service does: its source by ranges, its engine behind its walls. */
async function work({ task, parameters, source, parts = [], keep }: BenchJob): Promise<EngineDone> {
  await using folder = scratch.jobFolder()
  const input = path.join(folder.path, 'source')
  await using sparse = source?.isByRanges === true ? await openSparse(source, input) : undefined
  if (source !== undefined && sparse === undefined) await copyFile(source.file, input)
  const assets = await Promise.all(parts.map((file, number) => linkPart(file, number, folder.path)))
  const file = source && { path: input, format: source.format, size: (await stat(source.file)).size }
  const present = sparse && sparse.presentBytes < sparse.size ? { presentBytes: sparse.presentBytes } : {}
  const job = { task, parameters, assets, scratch: folder.path, limits: LIMITS }
  const done = await engines.video.run(file === undefined ? job : { ...job, input: { ...file, ...present } }, {
    signal: AbortSignal.timeout(3_600_000),
    deadlineMs: 3_600_000,
    async onAsk(asked) {
      if (asked.type === 'read') await sparse?.fetch(asked.offset, asked.length)
    },
  })
  const made = done.files[0]?.path
  if (keep !== undefined && made !== undefined) await copyFile(made, keep)
  return done
}

async function linkPart(file: string, number: number, folder: string): Promise<EngineAsset> {
  const to = path.join(folder, `part-${number}`)
  await link(file, to).catch(() => copyFile(file, to))
  return { url: String(number), path: to, format: 'MP4', size: (await stat(to)).size }
}

function openSparse({ url, host }: { url: string; host: string }, file: string): Promise<SparseFile> {
  return openSparseFile(url, file, {
    firstBytes: FIRST_BYTES,
    deadlineMs: 600_000,
    maxBytes: 4 * GIB,
    network: { allowedHosts: parseAllowedHosts(host) },
    signal: AbortSignal.timeout(600_000),
  })
}
