import type { ConsoleRoute } from '@mediamill/contract/console/console-route'
import { EVERY_SESSION } from '@mediamill/contract/console/console-route'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import { hasOnlyFitTexts } from '@mediamill/contract/endpoints/field-errors'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import { accountSuspended } from '../../../accounts/authenticate.ts'
import { callerOf } from '../../../accounts/sign-in/caller.ts'
import type { SessionRow } from '../../../accounts/sign-in/sessions.ts'
import { sessionOf } from '../../../accounts/sign-in/sessions.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { textQuery } from '../../query.ts'
import { authorOf } from './console-context.ts'
import { RateLimiter } from './rate-limiter.ts'
import { sameSiteGuard } from './same-site.ts'
import { sessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kinds of sessions that can call the route. If `undefined`, as on routes of `/v1`, every kind can. */
    console?: Pick<ConsoleRoute, 'allowedSessions' | 'ofAccount'>
  }
}

const OF_V1: Pick<ConsoleRoute, 'allowedSessions' | 'ofAccount'> = { allowedSessions: EVERY_SESSION, ofAccount: true }

/** Checks host, origin, session, rate limit, the session's kind, and the account, before the body is read. */
export function guardConsole(app: FastifyInstance, api: ApiContext): void {
  const cookie = sessionCookie(api.links.baseUrl)
  const checkSite = sameSiteGuard(api.links.baseUrl)
  const pace = new RateLimiter(CONSOLE_LIMITS.callsPerMinute)
  const largeBodies = new RateLimiter(CONSOLE_LIMITS.largeBodiesPerMinute)
  const reads = new RateLimiter(1, { windowMs: READ_AGAIN_MS })
  /** Writes an audit entry for an operator's read of an account, at most one per hour and subject. */
  const auditRead = async (call: FastifyRequest) => {
    const subject = readSubject(call)
    const { id: accountId } = call.caller.account
    if (subject === undefined || !reads.admits(`${call.session.id} ${accountId} ${subject}`)) return
    await audited(api.sql, authorOf(call), { accountId, action: 'files.read', subject }, async () => true)
  }
  /** Writes an audit entry for an operator's change through `/v1`. Other routes write their own entries. */
  const auditChange = async (call: FastifyRequest) => {
    const subject = changeSubject(call)
    const { id: accountId } = call.caller.account
    if (subject !== undefined)
      await audited(api.sql, authorOf(call), { accountId, action: 'api.called', subject }, async () => true)
  }
  app.decorateRequest('session')
  app.decorateRequest('caller')
  app.addHook('onRequest', async (call: FastifyRequest) => {
    const takesFiles = call.routeOptions.url === `${app.prefix}/uploads`
    checkSite(call, takesFiles)
    const { allowedSessions, ofAccount } = call.routeOptions.config.console ?? OF_V1
    if (allowedSessions === 'anyone') return
    const token = cookie.read(call)
    const session = token === undefined ? undefined : await sessionOf(api.sql, token)
    if (session === undefined) throw notSignedIn()
    // The rate limit counts per account, because a key can open 30 sessions a minute. Sessions of keys and of owners
    // count separately. Otherwise, a stolen key could block the page that revokes the key.
    const caller = session.kind === 'operator' ? `session ${session.id}` : `${session.kind} ${session.accountId}`
    pace.enter(caller)
    if (!takesFiles && hasLargeBody(call)) largeBodies.enter(caller)
    if (!allowedSessions.includes(session.kind)) throw notAllowed(session)
    if (session.suspended && !isOwnSession(call)) throw accountSuspended()
    // PostgreSQL rejects text with a NUL character.
    if (!hasOnlyFitTexts(call.params)) throw notFound(call)
    call.session = session
    if (ofAccount) await showAccount(api, call, session)
    if (!ofAccount || session.kind !== 'operator') return
    await auditRead(call)
    await auditChange(call)
  })
}

/** Detects large bodies. They have their own rate limit, because their validation takes much CPU time. */
const hasLargeBody = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > CONSOLE_LIMITS.largeBodyBytes

const READ_AGAIN_MS = 3_600_000

/** Returns the subject of the audit entry for a read. A read of a list is audited too: a list contains signed links. */
function readSubject({ method, routeOptions, params }: FastifyRequest): string | undefined {
  if (method !== 'GET') return undefined
  const [, resource, rest = ''] =
    /^\/console\/api\/(requests|uploads|events|overview)(.*)$/.exec(routeOptions.url ?? '') ?? []
  if (resource === undefined) return undefined
  if (rest === '' || rest.endsWith('/preview')) return resource === 'events' ? undefined : 'requests'
  return `${resource.slice(0, -1)} ${String((params as { id?: string }).id).slice(0, 100)}`
}

function changeSubject({ method, routeOptions, params }: FastifyRequest): string | undefined {
  const { url = '', config } = routeOptions
  if (config.console !== undefined || method === 'GET' || method === 'HEAD' || url.endsWith('/estimate'))
    return undefined
  const valueOf = (name: string) => String((params as Record<string, string>)[name]).slice(0, 100)
  const path = url.replace('/console/api', '/v1').replace(/:(\w+)/, (_, name: string) => valueOf(name))
  return `${method} ${path}`
}

/** Returns whether a call reads or ends its own session. A suspended account can still make these calls. */
const isOwnSession = ({ routeOptions }: FastifyRequest) => routeOptions.url === '/console/api/session'

async function showAccount(api: ApiContext, call: FastifyRequest, session: SessionRow): Promise<void> {
  const accountId = accountOf(call, session)
  const caller = await callerOf(api.sql, {
    accountId,
    livemode: modeOf(call, session),
    onlyLivemode: session.keyLivemode,
  })
  if (caller === undefined) throw notFound()
  call.caller = caller
}

function accountOf(call: FastifyRequest, { kind, accountId }: SessionRow): AccountId {
  const named = kind === 'operator' ? textQuery(call, 'account') : undefined
  const id = named === undefined ? accountId : parseId<AccountId>(named)
  if (id === undefined) throw notFound()
  if (id === null) {
    const message = 'account is required in an operator session: add its id, such as ?account=1001.'
    throw validationFailed([{ param: 'account', code: 'required', message }])
  }
  return id as AccountId
}

/** Returns the mode (live or test) of a call. A session that a key opened has the mode of the key. */
function modeOf(call: FastifyRequest, { keyLivemode }: SessionRow): boolean {
  if (keyLivemode !== null) return keyLivemode
  const named = call.headers['mediamill-mode'] ?? textQuery(call, 'mode')
  if (named === undefined)
    return call.method === 'GET' && /\/(?:account|usage|overview)$/.test(call.routeOptions.url ?? '')
  if (named === 'live' || named === 'test') return named === 'live'
  const message = 'mode must be one of live, test.'
  throw validationFailed([{ param: 'Mediamill-Mode', code: 'invalid_value', message }])
}

function notSignedIn(): ApiError {
  return new ApiError('not_signed_in', 'You are not signed in. Use a sign-in link or an API key.')
}

function notAllowed({ kind }: SessionRow): ApiError {
  return new ApiError(
    'not_allowed',
    kind === 'key'
      ? 'A session of an API key has the permissions of the key. To manage keys, secrets, and settings, sign in with a sign-in link.'
      : 'This requires an operator. Run `mediamill console --operator`, and open the sign-in link that it prints.',
  )
}
