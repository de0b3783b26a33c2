import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import type { Door } from './door.ts'
import { serveHealth } from './routes/health.ts'
import { serveMetrics } from './routes/metrics.ts'

/** Builds the HTTP server of a worker, with health and metrics only. */
export function buildWorkerServer(door: Pick<Door, 'checks' | 'metrics'>, log: FastifyBaseLogger): FastifyInstance {
  const logController = new LogController({ disableRequestLogging: true })
  const app = Fastify({ loggerInstance: log.child({}), logController, requestTimeout: 10_000 })
  serveHealth(app, door)
  serveMetrics(app, door.metrics)
  return app
}
