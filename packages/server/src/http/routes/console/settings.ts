import { restrictionsOf } from '@mediamill/contract/console/key-restrictions'
import type { KeyBody } from '@mediamill/contract/console/settings'
import * as routes from '@mediamill/contract/console/settings'
import { ApiError } from '@mediamill/contract/domain/errors'
import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import type { FastifyInstance } from 'fastify'
import { makeOwnKey, revokeKeyOf } from '../../../accounts/console/keys.ts'
import { revealWebhookSecret, rollOwnSecret } from '../../../accounts/console/webhook.ts'
import { KEY_PREFIXES } from '../../../accounts/key.ts'
import { setWebhookUrl } from '../../../accounts/operate.ts'
import { listAudit } from '../../../db/accounts/audit.ts'
import type { KeyRow } from '../../../db/accounts/keys.ts'
import { listKeys } from '../../../db/accounts/keys.ts'
import { listWebhookSecrets } from '../../../db/accounts/webhook-secrets.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { listPage } from '../../list-page.ts'
import { serveRoute } from '../../serve-route.ts'
import { urlsRejected } from '../check-sources.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { RateLimiter } from './rate-limiter.ts'

/** Serves keys, the webhook, secrets, and the audit log. Requires a session from a sign-in link (console.sign_in.5). */
export function serveSettings(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  serveKeys(app, api)
  serveWebhook(app, api, options)
  serveSecrets(app, api, options)

  serveRoute(app, routes.listAudit, async ({ query, session }) => {
    const { limit, after = null, account = null } = query
    const accountId = session.kind === 'operator' ? account : session.accountId
    if (accountId === null && session.kind !== 'operator') throw notFound()
    const read = (count: number) => listAudit(api.sql, { accountId, before: after, limit: count })
    return await listPage(limit, read, (row) => ({
      id: row.id,
      at: row.at.toISOString(),
      account: row.accountId,
      session: row.sessionId,
      actor: row.actor,
      // For the actor `command`, the name contains a user and host of the server. Only operators may see this name.
      name: row.actor === 'command' && session.kind !== 'operator' ? null : row.name,
      client: row.client,
      action: row.action,
      subject: row.subject,
      detail: row.detail,
    }))
  })
}

function serveKeys(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.listKeys, async ({ caller }) => ({
    data: (await listKeys(api.sql, caller.account.id)).map(presentKey),
  }))
  serveRoute(app, routes.createKey, async (call, reply) => {
    const { name, livemode, ...restrictions } = call.body
    const mode = livemode ? ('live' as const) : ('test' as const)
    const wanted = { name: name ?? `${mode} key`, mode, restrictions: restrictionsOf(restrictions) }
    const made = await makeOwnKey(api.sql, authorOf(call), call.caller.account.id, wanted)
    if (made === undefined) throw notFound()
    reply.code(201)
    return { ...presentKey(made.row), secret: made.key }
  })
  serveRoute(app, routes.revokeKey, async (call) => {
    const id = idIn(call.params)
    const row = await revokeKeyOf(api.sql, authorOf(call), call.caller.account.id, id)
    if (row === undefined) throw notFound()
    return presentKey(row)
  })
}

/** Returns the id in a path. If the id is not a number, returns 0, because no row has the id 0. */
export const idIn = (params: Record<string, string>): number =>
  /^\d{1,15}$/.test(params['id'] ?? '') ? Number(params['id']) : 0

function presentKey(row: KeyRow): KeyBody {
  return {
    id: row.id,
    name: row.name,
    livemode: row.livemode,
    prefix: KEY_PREFIXES[row.livemode ? 'live' : 'test'],
    last_four: row.lastFour,
    created_at: row.createdAt.toISOString(),
    last_used_on: row.lastUsedOn,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    restrictions: row.restrictions,
  }
}

function serveWebhook(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  serveRoute(app, routes.getWebhook, async ({ caller }) => ({ url: caller.account.webhookUrl }))
  serveRoute(app, routes.setWebhook, async (call) => {
    const { url } = call.body
    const verdict = url === null ? ({ ok: true } as const) : await api.checkUrl(url)
    if (!verdict.ok) throw urlsRejected([{ param: 'url', code: verdict.code, message: verdict.message }])
    await setWebhookUrl(api.sql, authorOf(call), call.caller.account.id, url)
    return { url }
  })
  const tests = new RateLimiter(CONSOLE_LIMITS.webhookTestsPerMinute)
  serveRoute(app, routes.testWebhook, async ({ caller }) => {
    const { id, webhookUrl: url } = caller.account
    if (url === null) {
      throw validationFailed([
        { param: 'url', code: 'required', message: 'url must be set before you can send a test event.' },
      ])
    }
    tests.enter(String(id))
    const { durationMs, ...outcome } = await options.postTestEvent(id, url)
    return { ...outcome, url, duration_ms: durationMs }
  })
}

function serveSecrets(app: FastifyInstance, api: ApiContext, { secretKey }: ConsoleOptions): void {
  serveRoute(app, routes.listSecrets, async ({ caller }) => ({
    data: (await listWebhookSecrets(api.sql, caller.account.id)).map((row) => ({
      id: row.id,
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt?.toISOString() ?? null,
    })),
  }))
  serveRoute(app, routes.revealSecret, async (call) => {
    const secret = await revealWebhookSecret(api.sql, secretKey, authorOf(call), call.caller.account.id)
    if (secret === undefined)
      throw new ApiError('conflict', 'This account has no webhook secret. Roll the secret to create one.')
    return { secret }
  })
  serveRoute(app, routes.rollSecret, async (call) => {
    const overlapMs = call.body.overlap_hours * 3_600_000
    const secret = await rollOwnSecret(api.sql, secretKey, authorOf(call), call.caller.account.id, overlapMs)
    if (secret === undefined) throw notFound()
    return { secret }
  })
}
