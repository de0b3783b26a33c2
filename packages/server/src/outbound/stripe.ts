import type { Stripe } from 'stripe'
import { z } from 'zod'

type StripeKeys = { secretKey: string; webhookSecret: string }

/** Replaces the address of Stripe's API. Only for tests. */
export type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number; timeout?: number }

type Purchase = { accountId: number; cents: number; email: string; doneUrl: string; cancelUrl: string }

type Money = { eventId: string; type: string; accountId: string; cents: number; createdAt: Date | undefined }

/** The payment or refund in an event. `other`: the event changes no credit. `invalid`: do not book it. */
export type StripeMoney =
  | (Money & { kind: 'paid'; sessionId: string })
  | (Money & { kind: 'refunded'; chargeId: string })
  | { kind: 'other'; eventId: string; type: string }
  | { kind: 'invalid'; eventId: string; type: string; param: string; message: string }

/** The timeout of a call to Stripe. It is short, because a person waits for the page. */
const TIMEOUT_MS = 6_000

/** The maximum age of a signature, as Stripe recommends. */
const TOLERANCE_SECONDS = 300

/** The maximum amount of a payment. In the ledger, a cent is 10,000 units, and an amount must be a safe integer. */
const MAX_CENTS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000)

export class StripeCheckout {
  readonly #keys: StripeKeys
  readonly #at: StripeAddress | undefined
  #client: Promise<Stripe> | undefined

  constructor(keys: StripeKeys, at?: StripeAddress) {
    this.#keys = keys
    this.#at = at
  }

  async open(purchase: Purchase): Promise<string> {
    const { accountId, cents, email, doneUrl, cancelUrl } = purchase
    const metadata = { mediamill_account: String(accountId) }
    const stripe = await this.#load()
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      client_reference_id: String(accountId),
      metadata,
      // An event about a refund contains the charge, so the charge needs the metadata too.
      payment_intent_data: { metadata },
      line_items: [
        {
          quantity: 1,
          price_data: { currency: 'usd', unit_amount: cents, product_data: { name: 'Mediamill credit' } },
        },
      ],
      success_url: doneUrl,
      cancel_url: cancelUrl,
      ...(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(email) && { customer_email: email }),
    })
    if (session.url === null) throw new Error('Stripe opened a page without a URL')
    return session.url
  }

  async read(body: Buffer, signature: string): Promise<StripeMoney | undefined> {
    if (!isSignature(signature)) return undefined
    const stripe = await this.#load()
    try {
      // security check: a payment without Stripe's signature
      return moneyOf(stripe.webhooks.constructEvent(body, signature, this.#keys.webhookSecret), this.#isLive())
    } catch (error) {
      if (error instanceof Error && 'type' in error && error.type === 'StripeSignatureVerificationError')
        return undefined
      if (error instanceof SyntaxError)
        return { kind: 'invalid', eventId: '', type: '', param: '', message: 'The body must be JSON.' }
      throw error
    }
  }

  #isLive(): boolean | undefined {
    const mode = /^[a-z]+_(live|test)_/.exec(this.#keys.secretKey)?.[1]
    return mode === undefined ? undefined : mode === 'live'
  }

  async #load(): Promise<Stripe> {
    this.#client ??= loadStripe(this.#keys.secretKey, this.#at)
    return await this.#client
  }
}

export async function loadStripe(secretKey: string, at: StripeAddress | undefined): Promise<Stripe> {
  const { default: Client } = await import('stripe')
  return new Client(secretKey, { timeout: TIMEOUT_MS, maxNetworkRetries: 0, telemetry: false, ...at })
}

const anyEvent = z.object({ id: z.string(), type: z.string(), data: z.object({ object: z.looseObject({}) }) })

/** Stripe's ids have at most 255 characters. */
const stripeId = z.string().regex(/^\w{1,255}$/)
const metadata = z.object({ mediamill_account: z.string() })
const cents = z.int().min(0).max(MAX_CENTS)
const created = z.int().optional()
export const paidSession = z.object({ id: stripeId, metadata, amount_total: cents, created })
export const refundedCharge = z
  .object({ id: stripeId, metadata, amount: cents.optional(), amount_refunded: cents, created })
  .refine(({ amount, amount_refunded: refunded }) => amount === undefined || refunded <= amount, {
    path: ['amount_refunded'],
    message: 'must be at most the amount of the charge',
  })

const eventAbout = <Schema extends z.ZodType>(object: Schema, isLive: boolean | undefined) =>
  z.object({
    id: stripeId,
    livemode: isLive === undefined ? z.boolean() : z.literal(isLive),
    data: z.object({ object }),
  })

const PAID: ReadonlySet<string> = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded'])

function moneyOf(signed: unknown, isLive: boolean | undefined): StripeMoney {
  const event = anyEvent.safeParse(signed).data
  if (event === undefined) return { kind: 'other', eventId: '', type: '' }
  const { id: eventId, type, data } = event
  const other = { kind: 'other', eventId, type } as const
  if (!isCredit(data.object)) return other
  // If the session is not paid yet, Stripe sends another event after the payment.
  if (PAID.has(type) && data.object['payment_status'] === 'paid') {
    const parsed = eventAbout(paidSession, isLive).safeParse(signed)
    if (!parsed.success) return invalidMoney(other, parsed.error)
    const session = parsed.data.data.object
    if (session.amount_total === 0) return other
    const accountId = session.metadata.mediamill_account
    const createdAt = timeOf(session.created)
    return { kind: 'paid', eventId, type, accountId, cents: session.amount_total, createdAt, sessionId: session.id }
  }
  if (type === 'charge.refunded') {
    const parsed = eventAbout(refundedCharge, isLive).safeParse(signed)
    if (!parsed.success) return invalidMoney(other, parsed.error)
    const charge = parsed.data.data.object
    if (charge.amount_refunded === 0) return other
    const accountId = charge.metadata.mediamill_account
    const createdAt = timeOf(charge.created)
    return { kind: 'refunded', eventId, type, accountId, cents: charge.amount_refunded, createdAt, chargeId: charge.id }
  }
  return other
}

const timeOf = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1000))

/** Returns whether a payment is for credit. The operator's Stripe account may also sell other products. */
export function isCredit({ currency, metadata: about }: { currency?: unknown; metadata?: unknown }): boolean {
  return currency === 'usd' && typeof about === 'object' && about !== null && 'mediamill_account' in about
}

function invalidMoney({ eventId, type }: { eventId: string; type: string }, error: z.ZodError): StripeMoney {
  const [issue] = error.issues
  const param = issue?.path.join('.') ?? ''
  return { kind: 'invalid', eventId, type, param, message: `${param}: ${issue?.message ?? 'invalid'}.` }
}

/**
 * Returns whether a signature header is valid, apart from its hash. Stripe's library accepts any future time. This
 * function accepts at most `TOLERANCE_SECONDS` in the future.
 */
function isSignature(header: string): boolean {
  const parts = header.split(',')
  const signatures = parts.filter((part) => part.startsWith('v1='))
  const [time, ...others] = parts.filter((part) => part.startsWith('t='))
  const at = /^t=(\d{1,12})$/.exec(time ?? '')?.[1]
  if (at === undefined || others.length > 0 || Number(at) > Date.now() / 1_000 + TOLERANCE_SECONDS) return false
  return signatures.length > 0 && signatures.every((part) => /^v1=[0-9a-f]{64}$/.test(part))
}
