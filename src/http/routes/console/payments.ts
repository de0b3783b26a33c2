import type { FastifyInstance, FastifyRequest } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import type { Payment } from '../../../accounts/console/payments.ts'
import { bookPayment } from '../../../accounts/console/payments.ts'
import { openCheckout, PURCHASE_DOLLARS, STRIPE_WEBHOOK } from '../../../contract/console/payments.ts'
import { ApiError } from '../../../domain/errors.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { parseId } from '../../../domain/ids.ts'
import { microUsd, parseDollars, toDollars } from '../../../domain/money.ts'
import { validationFailed } from '../../../endpoints/validation.ts'
import type { StripeMoney } from '../../../outbound/stripe.ts'
import type { Door } from '../../door.ts'
import { notFound } from '../../errors.ts'
import { readBody } from '../../read-body.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { serveConsoleRoute } from './serve-console-route.ts'

const MICRO_PER_CENT = 10_000

/** Buying credit through Stripe Checkout, where the operator has set its keys (rulings 20). */
export function serveCheckout(app: FastifyInstance, door: Door, { stripe }: ConsoleOptions): void {
  serveConsoleRoute(app, openCheckout, async (call, reply) => {
    if (stripe === undefined) throw notFound()
    const cents = centsIn(call.body.amount)
    const { id: accountId, email } = call.caller.account
    const back = `${door.links.baseUrl}/console/?checkout=`
    const purchase = { accountId, cents, email, doneUrl: `${back}done`, cancelUrl: `${back}cancelled` }
    const url = await stripe.open(purchase).catch((cause: unknown) => {
      throw new ApiError('server_error', 'The payment service did not answer. Try again in a moment.', { cause })
    })
    const detail = { amount: toDollars(microUsd(cents * MICRO_PER_CENT)) }
    await audited(door.sql, authorOf(call), { accountId, action: 'checkout.opened', detail }, async () => true)
    reply.code(201)
    return { url }
  })
}

function centsIn(text: string): number {
  const amount = parseDollars(text.trim())
  const cents = (amount ?? 0) / MICRO_PER_CENT
  if (Number.isInteger(cents) && cents >= PURCHASE_DOLLARS.least * 100 && cents <= PURCHASE_DOLLARS.most * 100)
    return cents
  const { least, most } = PURCHASE_DOLLARS
  const message = `amount must be dollars from ${least} to ${most}, with cents at the most, such as 25.00.`
  throw validationFailed([{ param: 'amount', code: 'out_of_range', message }])
}

/** What Stripe posts: signed by it, and so outside of sessions and sites. */
export function serveStripeWebhook(app: FastifyInstance, door: Door, { stripe }: ConsoleOptions): void {
  if (stripe === undefined) return
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (call: FastifyRequest, payload: NodeJS.ReadableStream) =>
      readBody(call, payload),
    )
    scope.post(STRIPE_WEBHOOK, async (call, reply) => {
      const signature = call.headers['stripe-signature']
      const body = Buffer.isBuffer(call.body) ? call.body : Buffer.alloc(0)
      const money = typeof signature === 'string' ? await stripe.read(body, signature) : undefined
      if (money === undefined) {
        throw new ApiError(
          'not_allowed',
          'This does not bear the signature of Stripe, made with STRIPE_WEBHOOK_SECRET.',
        )
      }
      const payment = paymentOf(money)
      const outcome = payment === undefined ? 'ignored' : await bookPayment(door.sql, payment)
      call.log[outcome === 'unknown_account' ? 'warn' : 'info'](
        { stripe_event: money.eventId, stripe_type: money.type, outcome },
        `an event of Stripe: ${outcome}`,
      )
      return await reply.send({ outcome })
    })
  })
}

function paymentOf(money: StripeMoney): Payment | undefined {
  if (money.kind === 'other') return undefined
  const accountId = parseId<AccountId>(money.accountId)
  const amount = microUsd(money.cents * MICRO_PER_CENT)
  if (accountId === undefined || amount === 0) return undefined
  const { eventId, type } = money
  return money.kind === 'paid'
    ? { kind: 'paid', eventId, type, accountId, amount, reference: `stripe ${money.sessionId}` }
    : { kind: 'refunded', eventId, type, accountId, total: amount, chargeId: money.chargeId }
}
