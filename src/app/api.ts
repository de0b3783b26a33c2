import { connect } from '../db/connection/connect.ts'
import { secretKeysOf } from '../domain/secret-key.ts'
import { buildServer } from '../http/server.ts'
import { checkUrl } from '../outbound/guard/check-url.ts'
import { createFlush } from '../requests/flush.ts'
import { createDeliveriesNudge, createNudge } from '../requests/notices.ts'
import { RequestWatch } from '../requests/watch.ts'
import type { Logger } from '../runtime/telemetry/log.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { openNotices } from './database.ts'
import { showDatabase } from './database-metrics.ts'
import type { HomeConfig } from './home.ts'
import { listenAt } from './listen.ts'
import { openRegistry } from './metrics.ts'
import { isOnLoopback, withOwnerHint } from './owner-hint.ts'
import { checksOf, networkOf, openStore } from './parts.ts'
import type { Role } from './role.ts'
import { openTracing } from './tracing.ts'

/** The HTTP interface over one database; any number of processes may run it. Resolves when it listens. */
export async function startApi(config: HomeConfig, log: Logger): Promise<Role & { address: string }> {
  const sql = connect(config.databaseUrl, { connections: 4, applicationName: 'mediamill api', waitsForDisk: false })
  const notices = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill nudge' })
  const ears = await openNotices(config, sql, log)
  const watch = new RequestWatch(sql, ears)
  const network = networkOf(config)
  const metrics = openRegistry()
  const tracer = await openTracing(config, 'api', log)
  showDatabase(metrics, sql)
  const store = await openStore(config)
  const speaksToOwner = isOnLoopback(config.baseUrl)
  const door = {
    sql,
    metrics,
    tracer,
    links: { keys: deriveLinkKeys(secretKeysOf(config.secretKey)), baseUrl: config.baseUrl },
    store,
    checks: checksOf(config, sql, store),
    // wall: any URL as a sample
    isSample: (url: string) => network.samples?.has(url) === true,
    checkUrl: async (url: string) => {
      const verdict = await checkUrl(url, network)
      return speaksToOwner ? withOwnerHint(verdict, url) : verdict
    },
    nudge: createNudge(notices),
    nudgeDeliveries: createDeliveriesNudge(notices),
    durable: createFlush(notices),
    watch,
  }
  const server = buildServer(door, log)
  const address = await listenAt(server, 'PORT', { host: config.host, port: config.port })
  return {
    address,
    async stop() {
      await server.close()
      await watch[Symbol.asyncDispose]()
      await Promise.all([sql.end({ timeout: 5 }), notices.end({ timeout: 5 }), ears?.end({ timeout: 5 })])
      await tracer?.close()
    },
  }
}
