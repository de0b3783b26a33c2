import type { Stripe } from 'stripe'

/** What a service needs to take payments: its keys at Stripe. */
export type StripeKeys = { secretKey: string; webhookSecret: string }

/** Where Stripe's API answers; Stripe itself unless a test has a stand-in. */
export type StripeAddress = { protocol: 'http' | 'https'; host: string; port: number }

/** What is paid for, by whom, and where the browser goes then. */
export type Purchase = { accountId: number; cents: number; email: string; doneUrl: string; cancelUrl: string }

/** What an event of Stripe says of money, with amounts in cents. `other` is nothing to book. */
export type StripeMoney =
  | { kind: 'paid'; eventId: string; type: string; accountId: string; cents: number; sessionId: string }
  | { kind: 'refunded'; eventId: string; type: string; accountId: string; cents: number; chargeId: string }
  | { kind: 'other'; eventId: string; type: string }

/** How long Stripe may take to answer: who pays sits and waits. */
const TIMEOUT_MS = 6_000

/** Takes payments through Stripe Checkout. The package is loaded by the first of them. */
export class StripeCheckout {
  readonly #keys: StripeKeys
  readonly #at: StripeAddress | undefined
  #client: Promise<Stripe> | undefined

  constructor(keys: StripeKeys, at?: StripeAddress) {
    this.#keys = keys
    this.#at = at
  }

  /** Opens a page of Stripe where a purchase is paid; returns its URL. */
  async open(purchase: Purchase): Promise<string> {
    const { accountId, cents, email, doneUrl, cancelUrl } = purchase
    const metadata = { mediamill_account: String(accountId) }
    const stripe = await this.#load()
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      client_reference_id: String(accountId),
      metadata,
      // A charge carries what its payment does: refunds are told of by the charge.
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

  /** Reads what Stripe posted; `undefined` when it does not bear Stripe's signature of the last minutes. */
  async read(body: Buffer, signature: string): Promise<StripeMoney | undefined> {
    if (!isSignature(signature)) return undefined
    const stripe = await this.#load()
    try {
      // wall: a payment that Stripe did not sign
      return moneyOf(stripe.webhooks.constructEvent(body, signature, this.#keys.webhookSecret))
    } catch (error) {
      if (error instanceof Error && 'type' in error && error.type === 'StripeSignatureVerificationError')
        return undefined
      throw error
    }
  }

  async #load(): Promise<Stripe> {
    this.#client ??= import('stripe').then(
      ({ default: Client }) =>
        new Client(this.#keys.secretKey, {
          timeout: TIMEOUT_MS,
          maxNetworkRetries: 0,
          telemetry: false,
          ...this.#at,
        }),
    )
    return await this.#client
  }
}

function moneyOf({ id: eventId, type, data }: Stripe.Event): StripeMoney {
  if (type === 'checkout.session.completed' || type === 'checkout.session.async_payment_succeeded') {
    const session = data.object as Stripe.Checkout.Session
    const accountId = session.metadata?.['mediamill_account']
    // One that is paid later says so by an event of its own.
    if (accountId !== undefined && session.payment_status === 'paid' && session.currency === 'usd') {
      return { kind: 'paid', eventId, type, accountId, cents: session.amount_total ?? 0, sessionId: session.id }
    }
  }
  if (type === 'charge.refunded') {
    const charge = data.object as Stripe.Charge
    const accountId = charge.metadata['mediamill_account']
    if (accountId !== undefined && charge.currency === 'usd') {
      return { kind: 'refunded', eventId, type, accountId, cents: charge.amount_refunded, chargeId: charge.id }
    }
  }
  return { kind: 'other', eventId, type }
}

/** Whether a header has the form of Stripe's signatures. Stripe's library throws a plain error for an empty one. */
function isSignature(header: string): boolean {
  const signatures = header.split(',').filter((part) => part.startsWith('v1='))
  return signatures.length > 0 && signatures.every((part) => /^v1=[0-9a-f]{64}$/.test(part))
}
