import { ApiError } from '@mediamill/contract/domain/errors'
import { UNCOUNTED_PER_MINUTE } from '@mediamill/contract/domain/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, RateLimitState } from '../../accounts/authenticate.ts'
import { accountSuspended, authenticate, isValidKey, uncount } from '../../accounts/authenticate.ts'
import { isKey } from '../../accounts/key.ts'
import type { CallShape } from '../../accounts/restrictions.ts'
import { checkCall } from '../../accounts/restrictions.ts'
import type { ApiContext } from '../api-context.ts'
import { bareAddress } from '../client-address.ts'
import { RateLimiter } from '../routes/console/rate-limiter.ts'
import { tryAgainIn } from '../try-again.ts'
import { allowPagesOfKey } from './cors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** Whether the restrictions of the key allow the call, so that its handler runs. */
    isAdmitted: boolean
  }
}

/** Checks the key, the account's suspension, and the rate limit. Runs before the body is read (api.order.1). */
export function requireKey(app: FastifyInstance, api: Pick<ApiContext, 'sql'>): void {
  const isUncounted = uncounted()
  app.decorateRequest('caller')
  app.decorateRequest('isAdmitted', false)
  app.addHook('onRequest', async (call: FastifyRequest, reply: FastifyReply) => {
    const key = bearerOf(call)
    if (key === undefined) throw missingApiKey(call)
    const caller = await authenticate(api.sql, key)
    if (caller === undefined) throw invalidApiKey(key)
    call.caller = caller
    const { restricted } = caller
    if (restricted !== undefined) allowPagesOfKey(call, reply, restricted.restrictions.origins)
    admit(caller, reply)
    if (restricted !== undefined) checkCall(restricted, shapeOf(call), new Date())
    call.isAdmitted = true
  })
  app.addHook('onSend', async (call, reply) => {
    const caller = call.caller as Caller | undefined
    if (caller?.pace.enteredAt === undefined || !isUncounted(call, reply.statusCode)) return
    // If the database is unavailable, the call counts.
    showPace(reply, await uncount(api.sql, caller).catch(() => caller.pace))
  })
}

/**
 * Returns whether a call that was counted must be uncounted (limits.rate.1). Before the handler returns 403 or 429, it
 * can receive files and cause DNS lookups and several statements, so the number of these calls is limited.
 */
function uncounted(): (call: FastifyRequest, status: number) => boolean {
  const perMinute = new RateLimiter(UNCOUNTED_PER_MINUTE)
  return ({ caller: { account, livemode }, isAdmitted }, status) =>
    (status === 403 || status === 429) && (!isAdmitted || perMinute.admits(`${account.id} ${livemode}`))
}

/** Checks the key again after a form, which can take hours to arrive. `accept` checks the suspension. */
export async function checkKeyAgain(
  api: Pick<ApiContext, 'sql'>,
  call: Pick<FastifyRequest, 'headers'>,
): Promise<void> {
  const key = bearerOf(call) ?? ''
  if (!(await isValidKey(api.sql, key))) throw invalidApiKey(key)
}

const shapeOf = ({ method, routeOptions, headers, ip }: FastifyRequest): CallShape => ({
  method,
  path: routeOptions.url ?? '',
  origin: headers.origin,
  address: bareAddress(ip),
})

/** Counts a call to an unknown path toward the rate limit of its key, if the key is valid (limits.rate.1). */
export async function countUnknown(api: ApiContext, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = bearerOf(call)
  const caller = key === undefined ? undefined : await authenticate(api.sql, key)
  if (caller !== undefined) admit(caller, reply)
}

/** Throws if the key is invalid, the account is suspended, or the rate limit is exceeded. */
export async function countCall(api: Pick<ApiContext, 'sql'>, key: string, reply: FastifyReply): Promise<void> {
  const caller = await authenticate(api.sql, key)
  if (caller === undefined) throw invalidApiKey()
  admit(caller, reply)
}

function admit({ account, livemode, pace }: Caller, reply: FastifyReply): void {
  showPace(reply, pace)
  if (account.suspended) throw accountSuspended()
  if (pace.enteredAt === undefined) throw rateLimited(livemode, pace)
}

export function missingApiKey(call?: Pick<FastifyRequest, 'headers' | 'query'>): ApiError {
  const found = call === undefined ? undefined : misplacedKey(call)
  const send = 'Send your API key in the header Authorization: Bearer <API_KEY>.'
  return new ApiError('missing_api_key', found === undefined ? send : `${found} ${send}`)
}

function misplacedKey({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): string | undefined {
  const [first = '', second] = (headers.authorization ?? '').trim().split(/ +/)
  if (/^basic$/i.test(first)) return 'Basic authentication is not supported.'
  if (/^bearer$/i.test(first)) return 'The header Authorization has no key after Bearer.'
  if (first !== '') {
    return second === undefined
      ? 'The header Authorization has no Bearer before the key.'
      : 'The scheme of the header Authorization must be Bearer.'
  }
  if (['x-api-key', 'api-key', 'apikey'].some((name) => headers[name] !== undefined))
    return 'The header X-Api-Key is not supported.'
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : []
  return names.some((name) => /^(?:api[_-]?key|key|(?:access_)?token)$/i.test(name))
    ? 'A key in the URL is not accepted, because URLs are written to logs.'
    : undefined
}

export function invalidApiKey(key?: string): ApiError {
  if (key?.startsWith('whsec_') === true)
    return new ApiError(
      'invalid_api_key',
      'This is a webhook secret, not an API key. API keys start with svc_live_ or svc_test_.',
    )
  if (key !== undefined && !isKey(key)) {
    return new ApiError(
      'invalid_api_key',
      'This API key is not valid: it was cut off or mistyped. Copy the whole key; it starts with svc_live_ or svc_test_.',
    )
  }
  return new ApiError(
    'invalid_api_key',
    'This API key is not valid, or it was revoked. Use another key of your account.',
  )
}

export function rateLimited(
  livemode: boolean,
  { limit, resetSeconds }: Pick<RateLimitState, 'limit' | 'resetSeconds'>,
): ApiError {
  const rule = `Together, the ${livemode ? 'live' : 'test'} keys of this account can make at most ${limit} calls a minute.`
  const fix = `${tryAgainIn(resetSeconds)}${livemode ? '' : ' Live keys have their own limit.'}`
  return new ApiError('rate_limited', `${rule} ${fix}`, { retryAfterSeconds: resetSeconds })
}

const SCHEME = 'bearer '

/** Returns the Bearer key of a call, or `undefined`. Runs in linear time, because anyone can send a long header. */
export function bearerOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers.authorization ?? ''
  if (sent.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  let start = SCHEME.length
  let end = sent.length
  while (start < end && sent.charAt(start) === ' ') start += 1
  while (end > start && sent.charAt(end - 1) === ' ') end -= 1
  // Only spaces are trimmed. If other white space surrounds the key, the key is invalid.
  return end === start || sent.charAt(end - 1).trim() === '' ? undefined : sent.slice(start, end)
}

function showPace(reply: FastifyReply, pace: RateLimitState): void {
  reply.headers({
    'ratelimit-policy': `"calls";q=${pace.limit};w=60`,
    ratelimit: `"calls";r=${pace.remaining};t=${pace.resetSeconds}`,
    'x-ratelimit-limit': pace.limit,
    'x-ratelimit-remaining': pace.remaining,
    'x-ratelimit-reset': Math.ceil(Date.now() / 1000) + pace.resetSeconds,
  })
}
