import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { buildWorkerServer } from '../http/worker-server.ts'
import { linksOf } from '../store/link.ts'
import type { Logger } from '../telemetry/log.ts'
import { startDeliveries } from '../webhooks/delivery-loop.ts'
import { startCleanup } from './cleanup.ts'
import { openNotices } from './database.ts'
import { showDatabase } from './database-metrics.ts'
import type { ServiceConfig } from './installation.ts'
import { recordKeyUse } from './key-use.ts'
import { listenAt } from './listen.ts'
import { showDeliveries } from './metrics.ts'
import { watchDatabase } from './outages.ts'
import { openOwnStore } from './own-store.ts'
import { showDisk } from './process-metrics.ts'
import type { Role } from './role.ts'
import { checksOf, networkOf } from './shared-resources.ts'
import { openTracing } from './tracing.ts'
import { watchLedger } from './watch-ledger.ts'

/** How long webhook deliveries can wait for responses after a stop, in milliseconds. */
const DELIVERY_GRACE_MS = 2_000

type BaseOptions = { stack: AsyncDisposableStack; registry: Registry; connections: number; log: Logger }

export async function openWorkerBase(config: ServiceConfig, { stack, registry, connections, log }: BaseOptions) {
  const closing = new AbortController()
  const { signal } = closing
  const tracer = await openTracing(config, 'worker', log)
  stack.defer(async () => await tracer?.close())
  const database = watchDatabase(() => sql, log, signal)
  const pool = { connections, applicationName: 'mediamill worker', onFailure: database.onFailure }
  const sql = stack.adopt(connect(config.databaseUrl, pool), endPool)
  // Only the database closes after the health server, so that health checks work during a stop.
  let healthServer: ReturnType<typeof buildWorkerServer> | undefined
  stack.defer(async () => await healthServer?.close())
  const notices = await openNotices(config, sql, log)
  stack.defer(async () => void (notices !== sql && (await notices?.end({ timeout: 5 }))))
  const store = await openOwnStore({ config, sql, registry, log, signal })
  const checks = checksOf(config, database, store, signal)
  stack.defer(() => closing.abort())
  // Deliveries have their own connections, so that deliveries and jobs never wait for each other.
  const ofDeliveries = { connections: 3, applicationName: 'mediamill webhooks' }
  const deliveries = await startDeliveries({
    sql: stack.adopt(connect(config.databaseUrl, ofDeliveries), endPool),
    notices,
    secretKey: config.secretKey,
    links: linksOf(config),
    network: networkOf(config),
    tracer,
    log,
  })
  stack.defer(() => deliveries.stop(DELIVERY_GRACE_MS))
  showDisk(registry, config.dataDir)
  return {
    signal,
    tracer,
    sql,
    notices,
    store,
    checks,
    wakeDeliveries: deliveries.wake,
    /** Starts the cleanup and the health server. Call it last, because the returned role closes the whole `stack`. */
    async run(workerId: string, drained: Promise<void>): Promise<Role> {
      startCleanup({ sql, store, log, signal })
      recordKeyUse(sql, config.secretKey, log, signal)
      showDeliveries(registry, deliveries.counts)
      showDatabase(registry, sql)
      watchLedger(registry, sql, log, signal)
      if (config.metricsPort !== undefined) {
        healthServer = buildWorkerServer({ checks, metrics: registry }, log)
        await listenAt(healthServer, 'METRICS_PORT', { host: config.host, port: config.metricsPort })
      }
      const running = stack.move()
      return {
        workerId,
        drained,
        async stop() {
          closing.abort()
          await running.disposeAsync()
        },
      }
    },
  }
}

const endPool = async (sql: Sql): Promise<void> => await sql.end({ timeout: 5 })
