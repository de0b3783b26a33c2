import type { FastifyReply, FastifyRequest } from 'fastify'

/** The supported version of tus (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0'

/** The supported features of tus. They do not include Creation, because `POST /v1/uploads` creates uploads. */
export const TUS_HEADERS = {
  'tus-version': TUS_VERSION,
  'tus-extension': 'termination,expiration,checksum',
  'tus-checksum-algorithm': 'sha1,sha256,md5',
}

const ALLOWED =
  'Content-Type, Tus-Resumable, Upload-Offset, Upload-Checksum, Upload-Length, X-HTTP-Method-Override, X-Request-Id'
const EXPOSED = 'Tus-Resumable, Upload-Offset, Upload-Length, Upload-Expires, Request-Id, Retry-After'

export function showOrigin(call: FastifyRequest, reply: FastifyReply, origin: string | null): void {
  if (origin === null) return
  reply.header('vary', 'Origin')
  if (call.headers.origin !== origin) return
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    ...(call.method === 'OPTIONS' && {
      'access-control-allow-methods': 'PUT, PATCH, HEAD, DELETE, POST',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
    }),
  })
}

const OVERRIDES: ReadonlySet<unknown> = new Set(['PATCH', 'DELETE'])

/** Returns the call's method, or its `X-HTTP-Method-Override`. If they contradict each other, returns `undefined`. */
export function methodOf({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): string | undefined {
  const meant = headers['x-http-method-override']
  if (method !== 'POST') return meant === undefined || meant === method ? method : undefined
  return OVERRIDES.has(meant) ? String(meant) : undefined
}
