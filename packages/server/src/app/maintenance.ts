import { connect } from '../db/connection/connect.ts'
import type { Logger } from '../telemetry/log.ts'
import { startMaintenanceLoop } from '../worker/maintenance-loop.ts'
import { startCleanup } from './cleanup.ts'
import { openNotices } from './database.ts'
import { showDatabase, watchLedger } from './database-metrics.ts'
import { openDeliveries } from './deliveries.ts'
import type { HealthServer } from './health-server.ts'
import { openHealthServer } from './health-server.ts'
import type { HomeConfig } from './home.ts'
import { recordKeyUse } from './key-use.ts'
import { openRegistry, showDeliveries } from './metrics.ts'
import { watchDatabase } from './outages.ts'
import { openOwnStore } from './own-store.ts'
import { checksOf } from './parts.ts'
import { showDisk } from './process-metrics.ts'
import type { Role } from './role.ts'
import { openTracing } from './tracing.ts'

/** How long deliveries in flight may wait for responses after a stop. */
const DELIVERY_GRACE_MS = 2_000

/**
 * Starts a worker that runs no jobs (`WORKER_CONCURRENCY=0`). It delivers webhooks, deletes expired files and records,
 * compares balances, and requeues the requests of lost workers, so that other workers can scale to zero. It needs no
 * engines.
 */
export async function startMaintenance(config: HomeConfig, log: Logger): Promise<Role> {
  await using stack = new AsyncDisposableStack()
  const closing = new AbortController()
  const { signal } = closing
  const registry = openRegistry()
  const tracer = await openTracing(config, 'worker', log)
  stack.defer(async () => await tracer?.close())
  const database = watchDatabase(() => sql, log, signal)
  const pool = { connections: 3, applicationName: 'mediamill worker', onFailure: database.onFailure }
  const sql = stack.adopt(connect(config.databaseUrl, pool), async (open) => await open.end({ timeout: 5 }))
  let healthServer: HealthServer | undefined
  stack.defer(async () => await healthServer?.close())
  const notices = await openNotices(config, sql, log)
  stack.defer(async () => void (notices !== sql && (await notices?.end({ timeout: 5 }))))
  const store = await openOwnStore({ config, sql, registry, log, signal })
  stack.defer(() => closing.abort())
  const deliveries = await openDeliveries(config, notices, tracer, log)
  stack.defer(() => deliveries.stop(DELIVERY_GRACE_MS))
  const drained = Promise.withResolvers<void>()
  const { retentionMs } = config
  const loop = await startMaintenanceLoop({ sql, retentionMs, log, signal, onDrain: drained.resolve })
  stack.defer(() => loop.stop())
  startCleanup({ sql, store, log, signal })
  recordKeyUse(sql, config.secretKey, log, signal)
  showDisk(registry, config.dataDir)
  showDeliveries(registry, deliveries.counts)
  showDatabase(registry, sql)
  watchLedger(registry, sql, log, signal)
  healthServer = await openHealthServer(config, { checks: checksOf(config, database, store), metrics: registry }, log)
  const running = stack.move()
  return {
    drained: drained.promise,
    async stop() {
      closing.abort()
      await running.disposeAsync()
    },
  }
}
