import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../db/connect.ts'
import { listenToEvents } from '../db/notices.ts'
import type { Logger } from '../log.ts'
import { expire } from '../requests/expire.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { type Deliveries, startDeliveries } from '../webhooks/loop.ts'
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

/** After that, how long deliveries in flight may wait for their receivers. */
const DELIVERY_GRACE_MS = 2_000

/** How often results whose time is over are looked for. */
const SWEEP_MS = 10_000

const IMAGE_ENTRY = fileURLToPath(new URL('../engines/image/main.ts', import.meta.url))

/** Jobs that an image engine does before it is replaced, and the memory that one may take. */
const IMAGE_ENGINE = { jobsPerProcess: 500, memoryBytes: 2 * 1024 ** 3 } as const

/** The workers of one process over one database; any number of processes may run them. */
export async function startWorkers(config: HomeConfig, log: Logger): Promise<Role> {
  const sql = connect(config.databaseUrl, { connections: 6, applicationName: 'mediamill worker' })
  const scratch = await openScratch(join(config.dataDir, 'scratch'))
  const isolation = await chooseIsolation({ setting: config.isolation, scratch, entries: [IMAGE_ENTRY], log })
  const image = imageEngine(config, { scratch, isolation, log })
  const shop = {
    sql,
    scratch,
    store: await openStore(config),
    engines: { image },
    network: networkOf(config),
    limits: limitsOf(config),
    retentionMs: config.retentionMs,
    log,
  }
  const deliveries = openDeliveries(config, log)
  const notices = await listenToEvents(sql, deliveries.wake)
  const worker = await startWorker({
    sql,
    lanes: [{ lane: 'image', places: 4 * config.workerConcurrency + 8, hasRoom: () => true }],
    retentionMs: config.retentionMs,
    work: (claim, signal) => run(shop, claim, signal).finally(deliveries.wake),
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
      await notices.stop()
      await deliveries.stop(DELIVERY_GRACE_MS)
      await image[Symbol.asyncDispose]()
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

/** Deliveries have connections of their own, so that they and the jobs never wait for each other. */
function openDeliveries(config: HomeConfig, log: Logger): Deliveries {
  const sql = connect(config.databaseUrl, { connections: 3, applicationName: 'mediamill webhooks' })
  const deliveries = startDeliveries({
    sql,
    secretKey: config.secretKey,
    links: { keys: deriveLinkKeys([config.secretKey]), baseUrl: config.baseUrl },
    network: networkOf(config),
    log,
  })
  return {
    ...deliveries,
    async stop(graceMs) {
      await deliveries.stop(graceMs)
      await sql.end({ timeout: 5 })
    },
  }
}

type EngineParts = Pick<Parameters<typeof createEngineHost>[0], 'scratch' | 'isolation' | 'log'>

function imageEngine(config: HomeConfig, parts: EngineParts): EngineHost {
  return createEngineHost({
    ...parts,
    ...IMAGE_ENGINE,
    name: 'image',
    entry: IMAGE_ENTRY,
    fileBytes: config.maxImageResultBytes,
    kind: 'warm',
    concurrency: config.workerConcurrency,
  })
}
