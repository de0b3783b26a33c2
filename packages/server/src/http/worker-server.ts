import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import type { ApiContext } from './api-context.ts'
import { serveHealth } from './routes/health.ts'
import { serveMetrics } from './routes/metrics.ts'

export function buildWorkerServer(
  api: Pick<ApiContext, 'checks' | 'metrics'>,
  log: FastifyBaseLogger,
): FastifyInstance {
  const logController = new LogController({ disableRequestLogging: true })
  const app = Fastify({ loggerInstance: log.child({}), logController, requestTimeout: 10_000 })
  serveHealth(app, api)
  serveMetrics(app, api.metrics)
  return app
}
