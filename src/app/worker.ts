import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../db/connect.ts'
import type { Logger } from '../log.ts'
import { expire } from '../requests/expire.ts'
import { createEngineHost, type EngineHost } from '../worker/engine-host.ts'
import { every } from '../worker/every.ts'
import { chooseIsolation } from '../worker/isolation.ts'
import type { JobLimits } from '../worker/job-limits.ts'
import { startWorker } from '../worker/loop.ts'
import { run } from '../worker/run.ts'
import { openScratch } from '../worker/scratch.ts'
import type { HomeConfig } from './home.ts'
import { networkOf, openStore } from './parts.ts'
import type { Role } from './role.ts'

/** How long a stopping worker lets running jobs finish (decisions 1). */
const GRACE_MS = 30_000

/** How often results whose time is over are looked for. */
const SWEEP_MS = 10_000

/**
 * The engines that serve one job after the other: jobs that one does before it is replaced, and the memory it may take.
 *
 * A document engine's memory is PDFium's own, at most 256 MB, and the file three times: as sent, written anew, watermarked.
 */
const WARM_ENGINES = {
  image: {
    entry: fileURLToPath(new URL('../engines/image/main.ts', import.meta.url)),
    jobsPerProcess: 500,
    memoryBytes: 2 * 1024 ** 3,
  },
  document: {
    entry: fileURLToPath(new URL('../engines/document/main.ts', import.meta.url)),
    jobsPerProcess: 500,
    memoryBytes: 1.5 * 1024 ** 3,
  },
} as const

/** The workers of one process over one database; any number of processes may run them. */
export async function startWorkers(config: HomeConfig, log: Logger): Promise<Role> {
  const sql = connect(config.databaseUrl, { connections: 6, applicationName: 'mediamill worker' })
  const scratch = await openScratch(join(config.dataDir, 'scratch'))
  const entries = Object.values(WARM_ENGINES).map((engine) => engine.entry)
  const isolation = await chooseIsolation({ setting: config.isolation, scratch, entries, log })
  const image = warmEngine('image', config, { scratch, isolation, log })
  const document = warmEngine('document', config, { scratch, isolation, log })
  const shop = {
    sql,
    scratch,
    store: await openStore(config),
    engines: { image, document },
    network: networkOf(config),
    limits: limitsOf(config),
    retentionMs: config.retentionMs,
    log,
  }
  const worker = await startWorker({
    sql,
    lanes: (['image', 'document'] as const).map((lane) => {
      return { lane, places: 4 * config.workerConcurrency + 8, hasRoom: () => true }
    }),
    retentionMs: config.retentionMs,
    work: (claim, signal) => run(shop, claim, signal),
    log,
  })
  const sweeping = new AbortController()
  every(SWEEP_MS, sweeping.signal, async () => {
    try {
      await expire(sql, shop.store.delete)
    } catch (error) {
      log.error({ err: error }, 'deleting old results failed; trying again')
    }
  })
  return {
    async stop() {
      sweeping.abort()
      await worker.stop(GRACE_MS)
      await image[Symbol.asyncDispose]()
      await document[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
      await sql.end({ timeout: 5 })
    },
  }
}

function limitsOf(config: HomeConfig): JobLimits {
  return {
    framePixels: config.maxFramePixels,
    sourcePixels: config.maxSourcePixels,
    watermarkBytes: config.maxWatermarkBytes,
    resultBytes: {
      image: config.maxImageResultBytes,
      video: config.maxVideoResultBytes,
      document: config.maxDocumentResultBytes,
    },
    deadlineMs: {
      image: config.imageDeadlineMs,
      video: config.videoDeadlineMs,
      document: config.documentDeadlineMs,
    },
  }
}

type EngineParts = Pick<Parameters<typeof createEngineHost>[0], 'scratch' | 'isolation' | 'log'>

function warmEngine(name: keyof typeof WARM_ENGINES, config: HomeConfig, parts: EngineParts): EngineHost {
  return createEngineHost({
    ...parts,
    ...WARM_ENGINES[name],
    name,
    fileBytes: limitsOf(config).resultBytes[name],
    kind: 'warm',
    concurrency: config.workerConcurrency,
  })
}
