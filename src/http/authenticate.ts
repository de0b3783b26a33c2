import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, type Caller, type Pace } from '../accounts/authenticate.ts'
import { ApiError } from '../domain/errors.ts'
import { accountSuspended } from '../requests/accept.ts'
import type { Door } from './door.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; there on every route that `requireKey` guards. */
    caller: Caller
  }
}

/** Guards every route of this scope: key, suspension, pace, in this order (decisions 4), before the body is read. */
export function requireKey(app: FastifyInstance, door: Door): void {
  app.decorateRequest('caller')
  app.addHook('onRequest', async (call: FastifyRequest, reply: FastifyReply) => {
    const caller = await authenticate(door.sql, bearerOf(call))
    if (caller === undefined) {
      throw new ApiError(
        'invalid_api_key',
        'This API key is not valid, or it was revoked. Use another key of your account.',
      )
    }
    if (caller.account.suspended) throw accountSuspended()
    showPace(reply, caller.pace)
    if (!caller.pace.entered) {
      throw new ApiError(
        'rate_limited',
        `At most ${caller.pace.limit} calls a minute may be made with this kind of key. Try again in ${caller.pace.resetSeconds} seconds.`,
        { retryAfterSeconds: caller.pace.resetSeconds },
      )
    }
    call.caller = caller
  })
}

function bearerOf(call: FastifyRequest): string {
  const { authorization } = call.headers
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (key !== undefined) return key
  throw new ApiError('missing_api_key', 'Send your API key in the header Authorization: Bearer <API_KEY>.')
}

/** The draft of the IETF (draft-ietf-httpapi-ratelimit-headers) and the older names that clients know. */
function showPace(reply: FastifyReply, pace: Pace): void {
  reply.headers({
    'ratelimit-policy': `"calls";q=${pace.limit};w=60`,
    ratelimit: `"calls";r=${pace.remaining};t=${pace.resetSeconds}`,
    'x-ratelimit-limit': pace.limit,
    'x-ratelimit-remaining': pace.remaining,
    'x-ratelimit-reset': Math.ceil(Date.now() / 1000) + pace.resetSeconds,
  })
}
