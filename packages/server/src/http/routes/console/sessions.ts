import type { ServiceBody, SessionBody } from '@mediamill/contract/console/session'
import * as routes from '@mediamill/contract/console/session'
import { ApiError } from '@mediamill/contract/domain/errors'
import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { presentAccount } from '../../../accounts/present-account.ts'
import { callerOf } from '../../../accounts/sign-in/caller.ts'
import { FailedSignIns } from '../../../accounts/sign-in/failed-sign-ins.ts'
import type { Credential, SessionRow } from '../../../accounts/sign-in/sessions.ts'
import {
  checkKey,
  checkLink,
  endSession,
  sessionOf,
  signIn,
  visibleSessions,
} from '../../../accounts/sign-in/sessions.ts'
import type { ApiContext } from '../../api-context.ts'
import { clientPrefix } from '../../client-address.ts'
import { notFound } from '../../errors.ts'
import { serveRoute } from '../../serve-route.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { RateLimiter } from './rate-limiter.ts'
import { sessionCookie } from './session-cookie.ts'
import { idIn } from './settings.ts'

const FLUSH_MS = 60_000

export function serveSessions(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  const cookie = sessionCookie(api.links.baseUrl)
  const failedSignIns = new FailedSignIns()
  const flush = () =>
    failedSignIns
      .flush(api.sql)
      .catch((error: unknown) => app.log.warn({ err: error }, 'failed sign-ins not written to the audit log'))
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush()
  })
  const failureLimiter = new RateLimiter(CONSOLE_LIMITS.failedSignInsPerMinute)
  const keyLimiter = new RateLimiter(CONSOLE_LIMITS.keySignInsPerMinute)
  const service = presentService(api, options)

  serveRoute(app, routes.getService, async () => service)
  serveRoute(app, routes.getSession, async (call) => await presentSession(api, service, call.session))

  serveRoute(app, routes.currentSession, async (call) => {
    const token = cookie.read(call)
    const session = token === undefined ? undefined : await sessionOf(api.sql, token)
    return { session: session === undefined ? null : await presentSession(api, service, session) }
  })

  /** Runs `check`, and counts only its failures. Thus, the limit of failed sign-ins never blocks a valid sign-in. */
  const checked = async <Found>(call: FastifyRequest, check: () => Promise<Found>): Promise<Found> => {
    try {
      return await check()
    } catch (error) {
      if (isWrongCredential(error)) {
        failedSignIns.note(clientPrefix(call), error.code === 'invalid_api_key' ? 'key' : 'link')
        failureLimiter.enter(clientPrefix(call))
      }
      throw error
    }
  }

  serveRoute(app, routes.checkLink, async (call) => {
    const { link, account } = await checked(call, () => checkLink(api.sql, call.body.token))
    return {
      kind: link.kind,
      account: account === undefined ? null : { id: account.id, name: account.name },
      name: link.kind === 'sign_up' ? link.name : null,
      email: link.kind === 'sign_up' ? link.email : null,
    }
  })

  serveRoute(app, routes.openSession, async (call, reply) => {
    const { token, api_key: key } = call.body
    if ((token === undefined) === (key === undefined)) throw oneOfBoth()
    const credential = await checked<Credential>(call, () =>
      token === undefined ? checkKey(api.sql, key ?? '') : checkLink(api.sql, token),
    )
    if (credential.kind === 'key') keyLimiter.enter(String(credential.account.id))
    const old = cookie.read(call)
    const opened = await signIn(api.sql, options.secretKey, credential, {
      userAgent: (call.headers['user-agent'] ?? '').slice(0, 300),
      client: clientPrefix(call),
      previous: old === undefined ? undefined : await sessionOf(api.sql, old),
    })
    reply.code(201).header('set-cookie', cookie.write(opened.token))
    return await presentSession(api, service, opened.session)
  })

  serveRoute(app, routes.closeSession, async (call, reply) => {
    await endSession(api.sql, call.session, authorOf(call), call.session.id)
    return await reply.code(204).header('set-cookie', cookie.erase()).send()
  })

  serveRoute(app, routes.listSessions, async (call) => {
    const rows = await visibleSessions(api.sql, call.session)
    return { data: rows.map((row) => presentRow(row, call.session)) }
  })

  serveRoute(app, routes.endSession, async (call, reply) => {
    if (!(await endSession(api.sql, call.session, authorOf(call), idIn(call.params)))) throw notFound()
    return await reply.code(204).send()
  })
}

const presentRow = (row: SessionRow, current: SessionRow) => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  client: row.client,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt.toISOString(),
  user_agent: row.userAgent,
  current: row.id === current.id,
})

function presentService(api: ApiContext, { version, signUp, stripe, sendMail }: ConsoleOptions): ServiceBody {
  return {
    version,
    base_url: api.links.baseUrl,
    buy_credit: stripe !== undefined,
    mail: sendMail !== undefined,
    sign_up: signUp,
  }
}

async function presentSession(api: ApiContext, service: ServiceBody, session: SessionRow): Promise<SessionBody> {
  const { accountId, keyLivemode } = session
  const caller = accountId === null ? undefined : await callerOf(api.sql, { accountId, livemode: keyLivemode ?? true })
  return {
    object: 'session',
    id: session.id,
    kind: session.kind,
    account: caller === undefined ? null : presentAccount(caller),
    livemode: keyLivemode,
    service,
  }
}

const isWrongCredential = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'link_not_valid' || error.code === 'invalid_api_key')

function oneOfBoth(): ApiError {
  return new ApiError('validation_failed', 'Send either the token of a sign-in link or an api_key.')
}
