import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import type { Destination } from '@mediamill/contract/endpoints/destination'
import { connect } from '../db/connection/connect.ts'
import { isPooled } from '../db/connection/pooler.ts'
import { buildServer } from '../http/server.ts'
import { checkUrl } from '../outbound/guard/check-url.ts'
import { sealDestination } from '../requests/destination.ts'
import { EventWatch } from '../requests/events/event-watch.ts'
import { openEnd } from '../requests/events/sealed-end.ts'
import { createFlush } from '../requests/flush.ts'
import { createDeliveriesWaker, createWorkersWaker } from '../requests/notices.ts'
import { RequestWatch } from '../requests/watch.ts'
import { deriveLinkKeys } from '../store/link.ts'
import type { Logger } from '../telemetry/log.ts'
import { StampWatch } from '../uploads/stamps/stamp-watch.ts'
import type { ConsoleParts } from './console.ts'
import { consoleOptions } from './console.ts'
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
export async function startApi(
  config: HomeConfig,
  log: Logger,
  consoleParts?: ConsoleParts,
): Promise<Role & { address: string }> {
  await using stack = new AsyncDisposableStack()
  const tracer = await openTracing(config, 'api', log)
  stack.defer(async () => await tracer?.close())
  const sql = connect(config.databaseUrl, { connections: 4, applicationName: 'mediamill api', waitsForDisk: false })
  stack.defer(async () => await sql.end({ timeout: 5 }))
  const notices = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill nudge' })
  stack.defer(async () => await notices.end({ timeout: 5 }))
  const ears = await openNotices(config, sql, log)
  stack.defer(async () => await ears?.end({ timeout: 5 }))
  const watch = stack.use(new RequestWatch(sql, ears, (id, sealed) => openEnd(config.secretKey, id, sealed)))
  const eventWatch = stack.use(new EventWatch(sql))
  const network = networkOf(config)
  const metrics = openRegistry()
  showDatabase(metrics, sql)
  const store = await openStore(config)
  const area = await consoleOptions(config, sql, network, consoleParts)
  const stamps = stack.use(new StampWatch(sql, store, notices, ears))
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
    sealDestination: (accountId: number, destination: Destination) =>
      sealDestination(config.secretKey, accountId, destination),
    // Our own connections do not wait for the disk, but those of a pooler may.
    workers: createWorkersWaker(notices, !isPooled(config.databaseUrl)),
    wakeDeliveries: createDeliveriesWaker(notices),
    durable: createFlush(notices),
    watch,
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
  const server = buildServer(door, log)
  stack.defer(async () => await server.close())
  const address = await listenAt(server, 'PORT', { host: config.host, port: config.port })
  const running = stack.move()
  return { address, stop: () => running.disposeAsync() }
}
