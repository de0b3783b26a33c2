import { ORIGIN } from '@mediamill/contract/domain/uploads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reuse } from '../../lib/time/reuse.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sets its own CORS headers. */
    hasOwnOrigin?: boolean
  }
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer',
  // Chromium caches a preflight response for at most this time, in seconds.
  'access-control-max-age': '7200',
}

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
 * Lets pages of `origins` make calls. If any key lists origins, all preflights succeed, so they do not reveal which
 * origins are listed (api.cors.1).
 */
export function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  isAnyKeyWithOrigins: () => Promise<boolean>,
): void {
  const isAnyKey = reuse(REMEMBERED_MS, isAnyKeyWithOrigins)
  app.addHook('onRequest', async (call, reply) => {
    if (!call.url.startsWith('/v1/') || call.routeOptions.config?.hasOwnOrigin === true) return
    if (origins.length > 0) reply.header('vary', 'Origin')
    const { origin } = call.headers
    if (origin === undefined) return
    const isPreflight = call.method === 'OPTIONS' && call.headers['access-control-request-method'] !== undefined
    if (!origins.includes(origin) && !(isPreflight && ORIGIN.test(origin) && (await isAnyKey()))) return
    allowPage(reply, origin)
    if (isPreflight) await reply.code(204).headers(PREFLIGHT).send()
    else reply.header('access-control-expose-headers', EXPOSED)
  })
}

/** The check for listed origins is cached, because strangers can send many preflight requests. */
const REMEMBERED_MS = 2_000

export function allowPagesOfKey(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[] = [],
): void {
  if (headers.origin === undefined || !origins.includes(headers.origin)) return
  allowPage(reply, headers.origin)
  reply.header('access-control-expose-headers', EXPOSED)
}

const allowPage = (reply: FastifyReply, origin: string) =>
  void reply.headers({ vary: 'Origin', 'access-control-allow-origin': origin })
