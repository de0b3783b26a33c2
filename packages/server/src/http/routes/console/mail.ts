import * as routes from '@mediamill/contract/console/mail'
import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  invite,
  isRecipientRejected,
  mailInvitation,
  mailSignInLinks,
  mailSignUp,
} from '../../../accounts/sign-in/mailed-links.ts'
import type { ApiContext } from '../../api-context.ts'
import { clientPrefix } from '../../client-address.ts'
import { notFound } from '../../errors.ts'
import { serveRoute } from '../../serve-route.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { RateLimiter } from './rate-limiter.ts'

const MAILS_PER_MINUTE = { ofClient: 5, ofAddress: 5, ofMailbox: 5, signUpsOfDomain: 30, signUps: 120 }

/** Emails sign-in links. If the operator allows sign-up, also creates accounts by email (console.sign_in.6). */
export function serveMail(app: FastifyInstance, api: ApiContext, { sendMail, signUp }: ConsoleOptions): void {
  const ofClient = new RateLimiter(MAILS_PER_MINUTE.ofClient)
  const signIns = new RateLimiter(MAILS_PER_MINUTE.ofAddress)
  const signUps = new RateLimiter(MAILS_PER_MINUTE.ofMailbox)
  const signUpsOfDomain = new RateLimiter(MAILS_PER_MINUTE.signUpsOfDomain)
  const allSignUps = new RateLimiter(MAILS_PER_MINUTE.signUps)
  const { baseUrl } = api.links

  /** Runs work in the background. If a call waited for it, the response time would reveal whether an account exists. */
  const beside = (call: Pick<FastifyRequest, 'log'>, work: () => Promise<unknown>) =>
    void work().catch((error: unknown) => logUnsent(call, error))

  serveRoute(app, routes.requestSignInLink, async (call, reply) => {
    if (sendMail === undefined) throw notFound()
    const { email } = call.body
    ofClient.enter(clientPrefix(call))
    // Counts per address, not per mailbox. Otherwise, a stranger could use up the limit with `ada+x@example.com`.
    if (signIns.admits(addressOf(email).key)) {
      beside(call, () => mailSignInLinks({ sql: api.sql, baseUrl, send: sendMail }, email))
    }
    reply.code(202)
    return { mailed: 'if_known' as const }
  })

  serveRoute(app, routes.signUp, async (call, reply) => {
    if (sendMail === undefined || signUp !== 'open') throw notFound()
    const { mailbox, domain } = addressOf(call.body.email)
    ofClient.enter(clientPrefix(call))
    // The narrowest limit comes first, because a call over the narrowest limit must not count toward the other limits.
    if (signUps.admits(mailbox)) {
      signUpsOfDomain.enter(domain)
      allSignUps.enter('all')
      beside(call, () => mailSignUp({ sql: api.sql, baseUrl, send: sendMail }, call.body))
    }
    reply.code(202)
    return { mailed: 'to_confirm' as const }
  })

  serveRoute(app, routes.inviteMember, async (call, reply) => {
    if (signUp === 'off')
      throw new ApiError('conflict', 'Accounts cannot be created by email, because the service has SIGN_UP=off.')
    const link = await invite({ sql: api.sql, baseUrl }, authorOf(call), call.body)
    const isMailed =
      sendMail !== undefined &&
      (await mailInvitation(sendMail, link, call.body.email).then(
        () => true,
        (error: unknown) => logUnsent(call, error),
      ))
    reply.code(201)
    return { url: link.url, expires_at: link.expiresAt.toISOString(), mailed: isMailed }
  })
}

/** Logs an unsent email. A rejected address is only `info`, because strangers can cause many rejections. */
function logUnsent({ log }: Pick<FastifyRequest, 'log'>, error: unknown): false {
  log[isRecipientRejected(error) ? 'info' : 'error']({ err: error }, 'email with a link not sent')
  return false
}

const addressOf = (email: string) => readEmailAddress(email) ?? { key: email, mailbox: email, domain: email }
