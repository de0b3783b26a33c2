import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { coalesce } from '../../lib/time/coalesce.ts'
import { metricsOf } from '../../telemetry/metrics.ts'

declare module 'fastify' {
  interface FastifyReply {
    rejectedWith?: string
  }
}

/** Counts and measures calls by route. Labels with paths would let clients create unlimited time series. */
export function countCalls(app: FastifyInstance, registry: Registry): void {
  const { counter, histogram } = metricsOf(registry)
  const calls = counter('http_requests_total', 'Calls by route and status. Unknown paths count as unknown.', [
    'method',
    'endpoint',
    'status',
  ])
  const seconds = histogram(
    'http_request_duration_seconds',
    'From the headers of a call to the end of its response, excluding long polls.',
    ['method', 'endpoint'],
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  )
  const rejections = counter('http_rejections_total', 'Rejected calls by error code, such as rate_limited.', ['code'])
  app.addHook('onResponse', async (call, reply) => {
    if (reply.rejectedWith !== undefined) rejections.inc({ code: reply.rejectedWith })
    const endpoint = call.is404 ? 'unknown' : (call.routeOptions.url ?? 'unknown')
    const method = call.is404 ? 'any' : call.method
    calls.inc({ method, endpoint, status: reply.statusCode })
    // The client chooses the duration of a long poll, so this duration is not measured.
    if (!reply.isLongCall) seconds.observe({ method, endpoint }, reply.elapsedTime / 1000)
  })
}

/** The pause between two computations of the text. A computation takes up to 5 ms, and calls need no key. */
const PAUSE_MS = 100

/** Serves the metrics of this process in the Prometheus text format. Requires no key (operator.health.1). */
export function serveMetrics(app: FastifyInstance, registry: Registry): void {
  // Calls wait for a computation that starts after their arrival, so each response is up to date.
  const compute = coalesce<undefined, Buffer>(
    async (calls) => {
      const text = Buffer.from(await registry.metrics())
      return calls.map(() => text)
    },
    { pauseMs: PAUSE_MS },
  )
  app.get('/metrics', async (_call, reply) => {
    return await reply.type(registry.contentType).send(await compute(undefined))
  })
}
