import type { FastifyRequest } from 'fastify'
import type { Author } from '../../../accounts/audit.ts'
import type { SendMail } from '../../../accounts/sign-in/mailed-links.ts'
import type { SessionRow } from '../../../accounts/sign-in/sessions.ts'
import { authorOf as authorOfSession } from '../../../accounts/sign-in/sessions.ts'
import type { StripeCheckout } from '../../../outbound/stripe.ts'
import { clientPrefix } from '../../client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; there on every route of the developer area that needs a session. */
    session: SessionRow
  }
}

/** What the developer area needs beyond what `/v1` does. */
export type ConsoleOptions = {
  version: string
  secretKey: string
  signUp: 'off' | 'invite' | 'open'
  /** Hands a mail to the operator's server, where one is set. */
  sendMail?: SendMail | undefined
  /** The setting; what each worker found stands with it. */
  isolation: string
  /** Posts an example of an event to an account's webhook, once, and tells how it went. */
  postTestEvent: (accountId: number, url: string) => Promise<TestDelivery>
  /** Takes payments, where its keys are set. */
  stripe?: StripeCheckout | undefined
  /** The folder of the front end's build. */
  folder: URL
}

/** How a test delivery went. */
export type TestDelivery = {
  id: string
  delivered: boolean
  status: number | null
  answer: string | null
  reason: string | null
  durationMs: number
}

/** Who makes a change by a call, and from where. */
export const authorOf = (call: Pick<FastifyRequest, 'session' | 'ip'>): Author => ({
  ...authorOfSession(call.session),
  client: clientPrefix(call),
})
