import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { StripeCheckout } from './stripe.ts'

const SECRET = 'whsec_0123456789abcdef'

function checkout(secretKey = 'sk_test_0123456789abcdef'): StripeCheckout {
  return new StripeCheckout({ secretKey, webhookSecret: SECRET })
}

async function read(text: string, { inSeconds = 0, stripe = checkout() } = {}) {
  const at = Math.floor(Date.now() / 1000) + inSeconds
  const v1 = createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex')
  return await stripe.read(Buffer.from(text), `t=${at},v1=${v1}`)
}

type Changes = { session?: object; event?: object }

const paid = ({ session, event }: Changes = {}) =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
    data: {
      object: {
        id: 'cs_1',
        metadata: { mediamill_account: '1001' },
        payment_status: 'paid',
        currency: 'usd',
        amount_total: 2_500,
        ...session,
      },
    },
    ...event,
  })

const refunded = (charge: object) =>
  paid({
    event: {
      type: 'charge.refunded',
      data: { object: { id: 'ch_1', metadata: { mediamill_account: '1001' }, currency: 'usd', ...charge } },
    },
  })

const invalid = (param: string) => ({ kind: 'invalid', param })

async function kindOf(text: string, stripe = checkout()) {
  const money = await read(text, { stripe })
  return money?.kind === 'invalid' ? invalid(money.param) : money?.kind
}

test('a Stripe payment event gives the account and the amount of the payment', async () => {
  assert.deepEqual(await read(paid()), {
    kind: 'paid',
    eventId: 'evt_1',
    type: 'checkout.session.completed',
    accountId: '1001',
    cents: 2_500,
    createdAt: undefined,
    sessionId: 'cs_1',
  })
  const created = Date.UTC(2026, 10, 27) / 1000
  const money = await read(paid({ session: { created } }))
  assert.deepEqual(money?.kind === 'paid' && money.createdAt, new Date('2026-11-27'))
})

const WRONG_AMOUNTS = ['-1000', '10.5', '"1000"', '1e15', '9007199254740993', '900719925475', 'null', '[2500]']

for (const amount of WRONG_AMOUNTS) {
  test(`the service rejects a Stripe payment or refund of ${amount} cents`, async () => {
    const payment = paid({ session: { amount_total: 4_321 } }).replace('4321', amount)
    assert.deepEqual(await kindOf(payment), invalid('data.object.amount_total'))
    const refund = refunded({ amount_refunded: 4_321 }).replace('4321', amount)
    assert.deepEqual(await kindOf(refund), invalid('data.object.amount_refunded'))
  })
}

test('the service rejects a Stripe payment without an amount or a session id, or whose account is not text', async () => {
  assert.deepEqual(await kindOf(paid({ session: { amount_total: undefined } })), invalid('data.object.amount_total'))
  assert.deepEqual(await kindOf(paid({ session: { id: undefined } })), invalid('data.object.id'))
  const metadata = { mediamill_account: 1001 }
  assert.deepEqual(await kindOf(paid({ session: { metadata } })), invalid('data.object.metadata.mediamill_account'))
})

test('the service ignores Stripe events with amount 0, another currency, an unpaid session, or no account in its metadata', async () => {
  for (const session of [{ amount_total: 0 }, { currency: 'eur' }, { payment_status: 'unpaid' }, { metadata: {} }]) {
    assert.equal(await kindOf(paid({ session })), 'other', JSON.stringify(session))
  }
})

test('the service rejects a Stripe test event in live mode, and a live event in test mode', async () => {
  const live = paid({ event: { livemode: true } })
  assert.deepEqual(await kindOf(live, checkout('sk_test_0123456789')), invalid('livemode'))
  assert.deepEqual(await kindOf(paid(), checkout('sk_live_0123456789')), invalid('livemode'))
  assert.deepEqual(await kindOf(paid(), checkout('rk_live_0123456789')), invalid('livemode'))
  assert.deepEqual(await kindOf(paid({ event: { livemode: undefined } })), invalid('livemode'))
  assert.equal(await kindOf(live, checkout('rk_live_0123456789')), 'paid')
  assert.equal(await kindOf(live, checkout('sk_0123456789')), 'paid', 'a key that does not tell its mode')
})

test('the service accepts a Stripe signature only if its time is within 5 minutes of now', async () => {
  for (const inSeconds of [-290, 0, 290]) assert.ok(await read(paid(), { inSeconds }), `${inSeconds}`)
  for (const inSeconds of [-310, 310, 86_400]) {
    assert.equal(await read(paid(), { inSeconds }), undefined, `${inSeconds}`)
  }
})

test('the service ignores signed JSON that is not an event, and rejects text that is not JSON', async () => {
  for (const text of ['{}', '[]', 'null', '1', '{"id":"evt_1","type":"customer.created","data":{}}'])
    assert.equal(await kindOf(text), 'other', text)
  for (const text of ['', '{', 'paid']) assert.deepEqual(await kindOf(text), invalid(''), text)
})
