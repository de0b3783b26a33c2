import { totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { MediaType } from '../domain/media.ts'
import type { Lane } from '../domain/request.ts'
import { DOWNLOAD_MS } from '../outbound/fetch/download.ts'
import type { Logger } from '../runtime/telemetry/log.ts'
import { openCodeCache } from '../supervisor/code-cache.ts'
import type { EngineHost, EngineHostOptions } from '../supervisor/engine-host.ts'
import { createEngineHost } from '../supervisor/engine-host.ts'
import { chooseIsolation } from '../supervisor/isolation/isolation.ts'
import type { Scratch } from '../supervisor/scratch.ts'
import { createVideoEngines } from '../supervisor/video-engines.ts'
import type { JobLimits } from '../worker/job-limits.ts'
import type { HomeConfig } from './home.ts'

/** The engines by the lanes they serve. Disposing of them ends their processes. */
export type Engines = AsyncDisposable & Record<Lane, EngineHost>

const entryOf = (media: MediaType) => fileURLToPath(new URL(`../engines/${media}/main.ts`, import.meta.url))

/** The files that engine processes are started with. */
export const engineEntries = (): string[] => (['image', 'video', 'document'] as const).map(entryOf)

const GIB = 1024 ** 3

/**
 * The engines that serve one job after the other: jobs that one does before it is replaced, and the memory it may take.
 *
 * A document engine's memory is PDFium's own, at most 256 MB, and the file three times: as sent, written anew, watermarked.
 */
const WARM_ENGINES = {
  image: { jobsPerProcess: 500, memoryBytes: 2 * GIB },
  document: { jobsPerProcess: 500, memoryBytes: 1.5 * GIB },
} as const

// They work on one thread, beside which Node's own have little to do: at twice its deadline a job is no honest one.
const WARM_CPU_SHARE = 2

/** The share of the machine's memory, or of the container's, that video jobs may use together, and that one may use. */
const VIDEO_MEMORY_SHARE = 0.5
const LEAST_VIDEO_MEMORY_BYTES = 2 * GIB

/** Chooses the walls, and prepares an engine host for each medium. Processes start as jobs need them. */
export async function openEngines(
  config: HomeConfig,
  limits: JobLimits,
  scratch: Scratch,
  log: Logger,
  onRecycle: NonNullable<EngineHostOptions['onRecycle']>,
): Promise<Engines> {
  const entries = engineEntries()
  const codeCache = await openCodeCache(entries)
  const isolation = await chooseIsolation({ setting: config.isolation, scratch, entries, log, codeCache })
  const parts = { scratch, isolation, log, onRecycle, concurrency: config.workerConcurrency }
  const warmEngine = (name: keyof typeof WARM_ENGINES) =>
    createEngineHost({
      ...parts,
      ...WARM_ENGINES[name],
      name,
      entry: entryOf(name),
      cpuMs: WARM_CPU_SHARE * limits.deadlineMs[name],
      fileBytes: limits.resultBytes[name],
      kind: 'warm',
    })
  const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const videoBytes = Math.max(LEAST_VIDEO_MEMORY_BYTES, machineBytes * VIDEO_MEMORY_SHARE)
  const image = warmEngine('image')
  const document = warmEngine('document')
  const videos = createVideoEngines({
    ...parts,
    entry: entryOf('video'),
    fileBytes: limits.resultBytes.video,
    deadlineMs: limits.deadlineMs.video,
    sourceMs: DOWNLOAD_MS.video,
    memoryBytes: videoBytes,
    budgetBytes: videoBytes,
  })
  return {
    image,
    document,
    video: videos.video,
    video_look: videos.video_look,
    async [Symbol.asyncDispose]() {
      await Promise.all([image, document, videos].map((engine) => engine[Symbol.asyncDispose]()))
    },
  }
}
