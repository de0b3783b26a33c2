import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { connect } from './db/connect.ts'
import type { Config } from './config.ts'
import { buildServer } from './http/server.ts'
import type { Logger } from './log.ts'
import { createNudge } from './requests/notices.ts'
import { expire } from './requests/expire.ts'
import type { Links } from './requests/present.ts'
import { checkUrl } from './sources/check-url.ts'
import type { Network } from './sources/network.ts'
import { openDiskStore } from './store/disk.ts'
import { deriveLinkKeys } from './store/link.ts'
import type { Store } from './store/store.ts'
import { createEngineHost, type EngineHost } from './worker/engine-host.ts'
import { every } from './worker/every.ts'
import { findIsolation } from './worker/isolation.ts'
import { startWorker } from './worker/loop.ts'
import { run } from './worker/run.ts'
import { openScratch } from './worker/scratch.ts'

/** A role that runs until it is stopped. */
export type Role = { stop: () => Promise<void> }

/** What every role needs to know: `serve` fills in what the embedded database and the first start decide. */
export type RoleConfig = Config & { databaseUrl: string; secretKey: string }

/** How long a stopping role lets running calls and jobs finish (decisions 1). */
const GRACE_MS = 30_000

const SWEEP_MS = 10_000

/** Jobs that an image engine does before it is replaced, and the memory that one may take. */
const IMAGE_ENGINE = { jobsPerProcess: 500, memoryBytes: 2 * 1024 ** 3 } as const

function linksOf(config: RoleConfig): Links {
  return { keys: deriveLinkKeys([config.secretKey]), baseUrl: config.baseUrl }
}

function networkOf(config: RoleConfig): Network {
  return { allowedHosts: config.allowedPrivateHosts }
}

async function openStore(config: RoleConfig): Promise<Store> {
  return await openDiskStore(join(config.dataDir, 'results'))
}

/** The HTTP interface over one database; any number of processes may run it. Resolves when it listens. */
export async function startApi(config: RoleConfig, log: Logger): Promise<Role & { address: string }> {
  const sql = connect(config.databaseUrl, { connections: 10, applicationName: 'mediamill api' })
  const notices = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill nudge' })
  const network = networkOf(config)
  const door = {
    sql,
    links: linksOf(config),
    store: await openStore(config),
    checkUrl: (url: string) => checkUrl(url, network),
    nudge: createNudge(notices),
  }
  const server = buildServer(door, log)
  const address = await server.listen({ host: config.host, port: config.port })
  return {
    address,
    async stop() {
      await server.close()
      await Promise.all([sql.end({ timeout: 5 }), notices.end({ timeout: 5 })])
    },
  }
}

/** The workers of one process over one database; any number of processes may run them. */
export async function startWorkers(config: RoleConfig, log: Logger): Promise<Role> {
  const sql = connect(config.databaseUrl, { connections: 6, applicationName: 'mediamill worker' })
  const scratch = await openScratch(join(config.dataDir, 'scratch'))
  const isolation = await findIsolation(config.isolation, log)
  const image = imageEngine(config, { scratch, isolation, log })
  const shop = {
    sql,
    scratch,
    store: await openStore(config),
    engines: { image },
    network: networkOf(config),
    retentionMs: config.retentionMs,
    log,
  }
  const worker = await startWorker({
    sql,
    lanes: [{ lane: 'image', places: 4 * config.workerConcurrency + 8, hasRoom: () => true }],
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
      await scratch[Symbol.asyncDispose]()
      await sql.end({ timeout: 5 })
    },
  }
}

type EngineParts = Pick<Parameters<typeof createEngineHost>[0], 'scratch' | 'isolation' | 'log'>

function imageEngine(config: RoleConfig, parts: EngineParts): EngineHost {
  return createEngineHost({
    ...parts,
    ...IMAGE_ENGINE,
    name: 'image',
    entry: fileURLToPath(new URL('engines/image/main.ts', import.meta.url)),
    kind: 'warm',
    concurrency: config.workerConcurrency,
  })
}
