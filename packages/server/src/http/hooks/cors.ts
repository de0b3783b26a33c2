import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sets its own CORS headers. */
    hasOwnOrigin?: boolean
  }
}

/** Headers and methods that a page may send. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer',
  // Chromium's maximum.
  'access-control-max-age': '7200',
}

/** Response headers that a page may read. */
const EXPOSED = [
  'Request-Id',
  'Location',
  'Preference-Applied',
  'Content-Disposition',
  'Mediamill-Request',
  'Mediamill-Price',
  'Repr-Digest',
  'Idempotent-Replayed',
  'Retry-After',
  'Mediamill-Warning',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
].join(', ')

/**
 * Lets pages of these origins call `/v1` with a key (api.cors.1). There are no cookies here, so credentials are never
 * allowed. A signed upload URL has an origin of its own.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', async (call, reply) => {
    if (!call.url.startsWith('/v1/') || call.routeOptions.config?.hasOwnOrigin === true) return
    reply.header('vary', 'Origin')
    const { origin } = call.headers
    if (origin === undefined || !origins.includes(origin)) return
    reply.header('access-control-allow-origin', origin)
    if (call.method !== 'OPTIONS' || call.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', EXPOSED)
      return
    }
    await reply.code(204).headers(PREFLIGHT).send()
  })
}
