import { buildWorkerServer } from '../http/worker-server.ts'
import type { Logger } from '../telemetry/log.ts'
import type { HomeConfig } from './home.ts'
import { listenAt } from './listen.ts'

/** The server of a worker's health and metrics. */
export type HealthServer = { close: () => Promise<void> }

/** Opens the health server if `METRICS_PORT` is set. */
export async function openHealthServer(
  config: HomeConfig,
  context: Parameters<typeof buildWorkerServer>[0],
  log: Logger,
): Promise<HealthServer | undefined> {
  if (config.metricsPort === undefined) return undefined
  const server = buildWorkerServer(context, log)
  await listenAt(server, 'METRICS_PORT', { host: config.host, port: config.metricsPort })
  return server
}
