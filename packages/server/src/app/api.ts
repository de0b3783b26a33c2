import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { connect } from '../db/connection/connect.ts'
import { buildServer } from '../http/server.ts'
import { checkUrl } from '../outbound/guard/check-url.ts'
import { notify, subscribe } from '../queue/notifications.ts'
import type { FileDestination } from '../requests/destination.ts'
import { sealDestinations } from '../requests/destination.ts'
import { createFlush } from '../requests/flush.ts'
import { createEventWatch, createRequestWatch, createStreamWatch } from '../requests/watch.ts'
import { linksOf } from '../store/link.ts'
import type { Logger } from '../telemetry/log.ts'
import { StampWatch } from '../uploads/stamps/stamp-watch.ts'
import type { ConsoleParts } from './console.ts'
import { consoleOptions } from './console.ts'
import { openNotices } from './database.ts'
import { showDatabase } from './database-metrics.ts'
import type { ServiceConfig } from './installation.ts'
import { recordKeyUse } from './key-use.ts'
import { listenAt } from './listen.ts'
import { openRegistry } from './metrics.ts'
import { watchDatabase } from './outages.ts'
import { openOwnStore } from './own-store.ts'
import { isOnLoopback, withPrivateHostHint } from './private-host-hint.ts'
import { showDisk } from './process-metrics.ts'
import { registerApiServer } from './register-api-server.ts'
import type { Role } from './role.ts'
import { checksOf, networkOf } from './shared-resources.ts'
import { openTracing } from './tracing.ts'

const LEAVE_MS = 1_000

export async function startApi(
  config: ServiceConfig,
  log: Logger,
  consoleParts?: ConsoleParts,
): Promise<Role & { address: string }> {
  await using stack = new AsyncDisposableStack()
  const tracer = await openTracing(config, 'api', log)
  stack.defer(async () => await tracer?.close())
  const closing = new AbortController()
  const database = watchDatabase(() => sql, log, closing.signal)
  const { onFailure } = database
  const pool = { connections: 4, applicationName: 'mediamill api', waitsForDisk: false, onFailure }
  const sql = connect(config.databaseUrl, pool)
  stack.defer(async () => await sql.end({ timeout: 5 }))
  const notices = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill notify', onFailure })
  stack.defer(async () => await notices.end({ timeout: 5 }))
  const listenPool = await openNotices(config, sql, log)
  stack.defer(async () => await listenPool?.end({ timeout: 5 }))
  recordKeyUse(sql, config.secretKey, log, closing.signal)
  const watch = stack.use(createRequestWatch(sql))
  const streamWatch = stack.use(createStreamWatch(sql))
  const eventWatch = stack.use(createEventWatch(sql))
  const network = networkOf(config)
  const metrics = openRegistry()
  showDatabase(metrics, sql)
  const store = await openOwnStore({ config, sql, registry: metrics, log, signal: closing.signal })
  showDisk(metrics, config.dataDir)
  const area = consoleOptions(config, sql, network, consoleParts)
  const stamps = stack.use(new StampWatch(sql, notices))
  const listening =
    listenPool &&
    (await subscribe(listenPool, {
      request(ids) {
        for (const one of [watch, streamWatch]) one.notify(ids.map((id) => Number(id) as RequestId))
      },
      account: (ids) => eventWatch.notify(ids.map((id) => Number(id) as AccountId)),
      'text-watermark': (ids) => stamps.notify(ids),
    }))
  stack.defer(async () => await listening?.stop())
  let isStopping = false
  const isForOperator = isOnLoopback(config.baseUrl)
  const context = {
    sql,
    metrics,
    tracer,
    links: linksOf(config),
    store,
    checks: checksOf(config, database, store, closing.signal),
    isStopping: () => isStopping,
    isSample: (url: string) => network.samples?.has(url) === true,
    checkUrl: async (url: string) => {
      const verdict = await checkUrl(url, network)
      return isForOperator ? withPrivateHostHint(verdict, url) : verdict
    },
    sealDestinations: (accountId: number, destinations: readonly FileDestination[]) =>
      sealDestinations(config.secretKey, accountId, destinations),
    wakeDeliveries: () => notify(notices, 'queue:deliveries'),
    durable: createFlush(notices),
    watch,
    streamWatch,
    eventWatch,
    stamps,
    origins: config.corsOrigins,
    mcpAllowedDestinations: config.mcpAllowedDestinations,
    trustedProxies: config.trustedProxies,
    connections: {
      maxConnections: config.maxConnections,
      maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    },
    ...(area !== undefined && { console: area }),
  }
  const server = buildServer(context, log)
  stack.defer(async () => await server.close())
  const address = await listenAt(server, 'PORT', { host: config.host, port: config.port })
  stack.use(await registerApiServer({ sql, address, secretKey: config.secretKey, log, signal: closing.signal }))
  stack.defer(() => closing.abort())
  const running = stack.move()
  const stop = async () => {
    // The port stays open until proxies notice the stop, because a proxy cannot repeat a call with a large body.
    isStopping = true
    await delay(LEAVE_MS)
    await running.disposeAsync()
  }
  return { address, stop }
}
