import { totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { MediaType } from '@mediamill/contract/domain/media'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Config } from '../config/config.ts'
import { DOWNLOAD_MS } from '../outbound/fetch/download.ts'
import type { EngineHost, EngineHostOptions } from '../supervisor/engine-host.ts'
import { createEngineHost } from '../supervisor/engine-host.ts'
import type { Isolation } from '../supervisor/isolation/isolation.ts'
import { chooseIsolation } from '../supervisor/isolation/isolation.ts'
import type { Scratch } from '../supervisor/scratch.ts'
import type { VideoEngines } from '../supervisor/video-engines.ts'
import { createVideoEngines } from '../supervisor/video-engines.ts'
import type { Logger } from '../telemetry/log.ts'
import type { JobLimits } from '../worker/job-limits.ts'
import type { ServiceConfig } from './installation.ts'

type Engines = AsyncDisposable & Record<Lane, EngineHost> & { isolation: string }

const entryOf = (media: MediaType) => fileURLToPath(new URL(`../../../engines/src/${media}/main.ts`, import.meta.url))

export const engineEntries = (): string[] => (['image', 'video', 'document'] as const).map(entryOf)

const GIB = 1024 ** 3

/**
 * The maximum number of jobs and the maximum memory of an engine process. The process is replaced after this number of
 * jobs, or if it uses more than half of this memory after a job.
 */
const WARM_ENGINES = {
  image: { jobsPerProcess: 2_000, memoryBytes: 2 * GIB },
  document: { jobsPerProcess: 500, memoryBytes: 1.5 * GIB },
} as const

// These engines use one thread. A job that uses more CPU time than twice its deadline is a bug or an attack.
const WARM_CPU_SHARE = 2

/** The share of the machine's memory for all video jobs together. A single job can use the whole share. */
const VIDEO_MEMORY_SHARE = 0.5
const MIN_VIDEO_MEMORY_BYTES = 2 * GIB

const IDLE_MS = 60_000

function restOf(setting: Config['warmEngines'], media: MediaType) {
  if (setting === 'all') return {}
  return { idleMs: IDLE_MS, keep: setting === 'image' && media === 'image' ? 1 : 0, startsAhead: setting === 'image' }
}

export type EngineParts = {
  config: Pick<Config, 'workerConcurrency' | 'warmEngines'>
  limits: JobLimits
  scratch: Scratch
  isolation: Isolation
  log: Logger
  onRecycle?: NonNullable<EngineHostOptions['onRecycle']>
}

export async function openEngines(
  config: ServiceConfig,
  limits: JobLimits,
  scratch: Scratch,
  log: Logger,
  onRecycle: NonNullable<EngineHostOptions['onRecycle']>,
): Promise<Engines> {
  const isolation = await chooseIsolation({ setting: config.isolation, scratch, entries: engineEntries(), log })
  const parts = { config, limits, scratch, isolation, log, onRecycle }
  const image = openWarmEngine('image', parts)
  const document = openWarmEngine('document', parts)
  const videos = openVideoEngines(parts)
  return {
    isolation: isolation.tier,
    image,
    document,
    video: videos.video,
    video_look: videos.video_look,
    async [Symbol.asyncDispose]() {
      await Promise.all([image, document, videos].map((engine) => engine[Symbol.asyncDispose]()))
    },
  }
}

export function openWarmEngine(name: keyof typeof WARM_ENGINES, { config, limits, ...parts }: EngineParts): EngineHost {
  return createEngineHost({
    ...parts,
    ...WARM_ENGINES[name],
    ...restOf(config.warmEngines, name),
    name,
    concurrency: config.workerConcurrency,
    entry: entryOf(name),
    cpuMs: WARM_CPU_SHARE * limits.deadlineMs[name],
    fileBytes: limits.resultBytes[name],
  })
}

export function openVideoEngines({ config, limits, ...parts }: EngineParts): VideoEngines {
  const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const videoBytes = Math.max(MIN_VIDEO_MEMORY_BYTES, machineBytes * VIDEO_MEMORY_SHARE)
  return createVideoEngines({
    ...parts,
    ...restOf(config.warmEngines, 'video'),
    concurrency: config.workerConcurrency,
    entry: entryOf('video'),
    fileBytes: limits.resultBytes.video,
    deadlineMs: limits.deadlineMs.video,
    sourceMs: DOWNLOAD_MS.video,
    memoryBytes: videoBytes,
    budgetBytes: videoBytes,
  })
}
