import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invite, mailSignInLinks, mailSignUp } from '../../../accounts/sign-in/mailed-links.ts'
import * as routes from '../../../contract/console/mail.ts'
import { ApiError } from '../../../domain/errors.ts'
import { clientPrefix } from '../../client-address.ts'
import type { Door } from '../../door.ts'
import { notFound } from '../../errors.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { Pace } from './pace.ts'
import { serveConsoleRoute } from './serve-console-route.ts'

/** Mails that are asked for within a minute: by an address, and of all. */
const OF_ONE = 5
const OF_ALL = 60

/** Serves links by mail, and accounts that people open themselves (rulings 20). The operator lets them. */
export function serveMail(app: FastifyInstance, door: Door, { sendMail, signUp }: ConsoleOptions): void {
  const ofOne = new Pace(OF_ONE)
  const ofAll = new Pace(OF_ALL)
  const { baseUrl } = door.links

  /** Beside the call: how long it takes tells nobody whether an address is known. */
  const beside = (call: Pick<FastifyRequest, 'ip' | 'log'>, work: () => Promise<unknown>) => {
    // wall: mails that are asked for without end
    ofOne.enter(clientPrefix(call))
    ofAll.enter('all')
    void work().catch((error: unknown) => call.log.error({ err: error }, 'a mail with a link was not sent'))
  }

  serveConsoleRoute(app, routes.askForLink, async (call, reply) => {
    if (sendMail === undefined) throw notFound()
    beside(call, () => mailSignInLinks({ sql: door.sql, baseUrl, send: sendMail }, call.body.email))
    reply.code(202)
    return { mailed: 'if_known' as const }
  })

  serveConsoleRoute(app, routes.signUp, async (call, reply) => {
    // wall: accounts that anybody opens where only invitations do
    if (sendMail === undefined || signUp !== 'open') throw notFound()
    beside(call, () => mailSignUp({ sql: door.sql, baseUrl, send: sendMail }, call.body))
    reply.code(202)
    return { mailed: 'to_confirm' as const }
  })

  serveConsoleRoute(app, routes.inviteSomebody, async (call, reply) => {
    if (signUp === 'off') throw new ApiError('conflict', 'Nobody opens an account by a link here: SIGN_UP=off.')
    const link = await invite({ sql: door.sql, baseUrl, send: sendMail }, authorOf(call), call.body)
    reply.code(201)
    return { url: link.url, expires_at: link.expiresAt.toISOString(), mailed: sendMail !== undefined }
  })
}
