import { openCheckout, PURCHASE_DOLLARS, STRIPE_WEBHOOK } from '@mediamill/contract/console/payments'
import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import { microUsd, parseDollars, toDollars } from '@mediamill/contract/domain/money'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import type { Payment } from '../../../accounts/console/payments.ts'
import { bookPayment, MICRO_PER_CENT, STRIPE } from '../../../accounts/console/payments.ts'
import type { StripeMoney } from '../../../outbound/stripe.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { readBody } from '../../read-body.ts'
import { serveRoute } from '../../serve-route.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'

export function serveCheckout(app: FastifyInstance, api: ApiContext, { stripe }: ConsoleOptions): void {
  serveRoute(app, openCheckout, async (call, reply) => {
    if (stripe === undefined) throw notFound()
    const cents = centsIn(call.body.amount)
    const { id: accountId, email } = call.caller.account
    const back = `${api.links.baseUrl}/console/?checkout=`
    const purchase = { accountId, cents, email, doneUrl: `${back}done`, cancelUrl: `${back}cancelled` }
    const url = await stripe.open(purchase).catch((cause: unknown) => {
      call.log.error({ err: cause }, 'checkout page not created')
      const message = 'The payment service is not available. No money was taken. Try again later.'
      throw new ApiError('payment_unavailable', message, { cause })
    })
    const detail = { amount: toDollars(microUsd(cents * MICRO_PER_CENT)) }
    await audited(api.sql, authorOf(call), { accountId, action: 'checkout.opened', detail }, async () => true)
    reply.code(201)
    return { url }
  })
}

function centsIn(text: string): number {
  const amount = parseDollars(text.trim())
  const cents = (amount ?? 0) / MICRO_PER_CENT
  if (Number.isInteger(cents) && cents >= PURCHASE_DOLLARS.min * 100 && cents <= PURCHASE_DOLLARS.max * 100)
    return cents
  const { min, max } = PURCHASE_DOLLARS
  const message = `amount must be dollars from ${min} to ${max}, with at most two decimals, such as 25.00.`
  throw validationFailed([{ param: 'amount', code: 'out_of_range', message }])
}

/** Receives events of Stripe. These calls have no session. The signature of each event is checked instead. */
export function serveStripeWebhook(app: FastifyInstance, api: ApiContext, { stripe }: ConsoleOptions): void {
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
        throw new ApiError('not_allowed', 'The Stripe signature is invalid: it does not match STRIPE_WEBHOOK_SECRET.')
      }
      const ids = { stripe_event: money.eventId, stripe_type: money.type }
      const outcome = await book(api, money).catch((error: unknown) => {
        // Without a 2xx response, Stripe retries the event and shows the failure to the operator.
        if (error instanceof ApiError) {
          const about = 'accountId' in money ? { stripe_account: money.accountId, cents: money.cents } : {}
          call.log.error(
            { ...ids, ...about, code: error.code, reason: error.message },
            'stripe event not recorded in the ledger',
          )
        }
        throw error
      })
      call.log.info({ ...ids, outcome }, 'stripe event handled')
      return await reply.send({ outcome })
    })
  })
}

async function book(api: ApiContext, money: StripeMoney): Promise<'booked' | 'known' | 'ignored'> {
  if (money.kind === 'other') return 'ignored'
  if (money.kind === 'invalid') {
    const { param, message } = money
    throw validationFailed([{ param, code: 'invalid_value', message }])
  }
  const payment = paymentOf(money)
  const event = { id: money.eventId, type: money.type }
  const outcome =
    payment === undefined ? 'unknown_account' : await bookPayment(api.sql, STRIPE, payment, event).catch(toConflict)
  if (outcome !== 'unknown_account') return outcome
  throw new ApiError(
    'not_found',
    `Account ${money.accountId} did not exist at the time of the payment. Find out who paid, and add the credit to that account.`,
  )
}

export function toConflict(error: unknown): never {
  if (error instanceof OperatorError) throw new ApiError('conflict', error.message, { cause: error })
  throw error
}

function paymentOf(money: Extract<StripeMoney, { kind: 'paid' | 'refunded' }>): Payment | undefined {
  const accountId = parseId<AccountId>(money.accountId)
  const amount = microUsd(money.cents * MICRO_PER_CENT)
  if (accountId === undefined) return undefined
  const { createdAt } = money
  return money.kind === 'paid'
    ? { kind: 'paid', accountId, createdAt, amount, sessionId: money.sessionId }
    : { kind: 'refunded', accountId, createdAt, total: amount, chargeId: money.chargeId }
}
