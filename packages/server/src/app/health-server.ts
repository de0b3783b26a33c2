import { buildWorkerServer } from '../http/worker-server.ts'
import type { Logger } from '../telemetry/log.ts'
import type { ServiceConfig } from './installation.ts'
import { listenAt } from './listen.ts'

export type HealthServer = { close: () => Promise<void> }

export async function openHealthServer(
  config: ServiceConfig,
  context: Parameters<typeof buildWorkerServer>[0],
  log: Logger,
): Promise<HealthServer | undefined> {
  if (config.metricsPort === undefined) return undefined
  const server = buildWorkerServer(context, log)
  await listenAt(server, 'METRICS_PORT', { host: config.host, port: config.metricsPort })
  return server
}
