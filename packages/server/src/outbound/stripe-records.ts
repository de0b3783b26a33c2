import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Stripe } from 'stripe'
import { z } from 'zod'
import type { StripeAddress } from './stripe.ts'
import { isCredit, loadStripe, paidSession, refundedCharge } from './stripe.ts'

/** A payment or refund at Stripe. `cents`: the amount of the payment, or the refunded total of the charge. */
export type StripeRecord = {
  kind: 'paid' | 'refunded'
  id: string
  accountId: string
  cents: number
  createdAt: Date
}

export type Period = { from: Date; to: Date }

/** How often a call is tried. Calls can fail, because Stripe allows 25 calls per second in test mode. */
const TRIES = 4
const FIRST_WAIT_MS = 500

const PAGE_SIZE = 100

export class StripeRecords {
  readonly #secretKey: string
  readonly #at: StripeAddress | undefined
  #client: Promise<Stripe> | undefined

  constructor(secretKey: string, at?: StripeAddress) {
    this.#secretKey = secretKey
    this.#at = at
  }

  async payments(period: Period): Promise<StripeRecord[]> {
    const sessions = await this.#all((stripe, page) =>
      stripe.checkout.sessions.list({ ...page, status: 'complete', created: rangeOf(period) }),
    )
    return sessions.flatMap((session) => paidIn(session) ?? [])
  }

  async refunds(period: Period): Promise<StripeRecord[]> {
    const refunds = await this.#all((stripe, page) =>
      stripe.refunds.list({ ...page, created: rangeOf(period), expand: ['data.charge'] }),
    )
    const records = refunds.flatMap(({ charge }) => refundedIn(charge) ?? [])
    return [...new Map(records.map((record) => [record.id, record])).values()]
  }

  async payment(sessionId: string): Promise<StripeRecord | undefined> {
    return paidIn(await this.#call((stripe) => stripe.checkout.sessions.retrieve(sessionId)))
  }

  async refund(chargeId: string): Promise<StripeRecord | undefined> {
    return refundedIn(await this.#call((stripe) => stripe.charges.retrieve(chargeId)))
  }

  async #all<Item extends { id: string }>(
    list: (stripe: Stripe, page: Stripe.PaginationParams) => Promise<Stripe.ApiList<Item>>,
  ): Promise<Item[]> {
    const items: Item[] = []
    for (let hasMore = true; hasMore; ) {
      const last = items.at(-1)
      const page = { limit: PAGE_SIZE, ...(last && { starting_after: last.id }) }
      const response = await this.#call((stripe) => list(stripe, page))
      if (response === undefined) throw new OperatorError('Stripe has no such list. The API version is not supported.')
      items.push(...response.data)
      hasMore = response.has_more && response.data.length > 0
    }
    return items
  }

  async #call<Result>(read: (stripe: Stripe) => Promise<Result>): Promise<Result | undefined> {
    const stripe = await (this.#client ??= loadStripe(this.#secretKey, this.#at))
    for (let tried = 1; ; tried += 1) {
      try {
        return await read(stripe)
      } catch (error) {
        if (!(error instanceof stripe.errors.StripeError)) throw error
        if (error.code === 'resource_missing') return undefined
        const isPassing = error.statusCode === undefined || error.statusCode === 429 || error.statusCode >= 500
        if (!isPassing || tried === TRIES) throw new OperatorError(reasonOf(error), { cause: error })
        await wait(FIRST_WAIT_MS * 2 ** (tried - 1))
      }
    }
  }
}

function reasonOf({ statusCode, message }: Stripe.errors.StripeError): string {
  const repeat = 'Run the command again later.'
  if (statusCode === 401) {
    return 'Stripe rejected STRIPE_SECRET_KEY (401). Use a valid secret key of the Stripe account that received the payments.'
  }
  if (statusCode === 403) {
    return 'STRIPE_SECRET_KEY lacks a permission (403). Allow this restricted key to read Checkout Sessions, Charges, and Refunds.'
  }
  if (statusCode === 429) return `Stripe limited the rate of calls (429), ${TRIES} times. ${repeat}`
  if (statusCode === undefined) return `Stripe did not respond, ${TRIES} times: ${message}. ${repeat}`
  if (statusCode >= 500) return `Stripe responded with ${statusCode}, ${TRIES} times. ${repeat}`
  return `Stripe rejected the call (${statusCode}): ${message}`
}

const rangeOf = ({ from, to }: Period) => ({
  gte: Math.floor(from.getTime() / 1000),
  lt: Math.ceil(to.getTime() / 1000),
})

const created = z.object({ created: z.int() })
const paid = paidSession.and(created)
const refunded = refundedCharge.and(created)

function paidIn(session: Stripe.Checkout.Session | undefined): StripeRecord | undefined {
  if (session?.payment_status !== 'paid' || !isCredit(session)) return undefined
  const { id, amount_total: cents, metadata, created: at } = valid(paid, session)
  if (cents === 0) return undefined
  return { kind: 'paid', id, cents, accountId: metadata.mediamill_account, createdAt: new Date(at * 1000) }
}

function refundedIn(charge: Stripe.Charge | string | null | undefined): StripeRecord | undefined {
  if (typeof charge !== 'object' || charge === null || !isCredit(charge)) return undefined
  const { id, amount_refunded: cents, metadata, created: at } = valid(refunded, charge)
  if (cents === 0) return undefined
  return { kind: 'refunded', id, cents, accountId: metadata.mediamill_account, createdAt: new Date(at * 1000) }
}

function valid<Value>(schema: z.ZodType<Value>, object: { id: string }): Value {
  const { data, error } = schema.safeParse(object)
  if (data !== undefined) return data
  const [issue] = error?.issues ?? []
  throw new OperatorError(`Stripe's ${object.id} is not valid: ${issue?.path.join('.')}: ${issue?.message}.`)
}
