import type { FastifyRequest } from 'fastify'
import type { Author } from '../../../accounts/audit.ts'
import type { SendMail } from '../../../accounts/sign-in/mailed-links.ts'
import type { SessionRow } from '../../../accounts/sign-in/sessions.ts'
import { authorOf as authorOfSession } from '../../../accounts/sign-in/sessions.ts'
import type { StripeCheckout } from '../../../outbound/stripe.ts'
import type { TrialOutcome } from '../../../webhooks/test-event.ts'
import { clientPrefix } from '../../client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: SessionRow
  }
}

export type ConsoleOptions = {
  version: string
  secretKey: string
  signUp: 'off' | 'invite' | 'open'
  sendMail?: SendMail | undefined
  /** The value of `ISOLATION`. A worker can use another sandbox than this value; each worker reports its sandbox. */
  isolation: string
  postTestEvent: (accountId: number, url: string) => Promise<TrialOutcome>
  stripe?: StripeCheckout | undefined
  folder: URL
}

export const authorOf = (call: Pick<FastifyRequest, 'session' | 'ip'>): Author => ({
  ...authorOfSession(call.session),
  client: clientPrefix(call),
})
