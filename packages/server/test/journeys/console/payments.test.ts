import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { openBrowser, signedIn } from '@mediamill/lab/support/browser'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { buyCredit } from '@mediamill/server/accounts/credit'

const KEY = 'sk_test_0123456789abcdef'
const SECRET = 'whsec_0123456789abcdef'

const asked: { path: string; authorization: string | undefined; form: URLSearchParams }[] = []
let isAway = false
const { port } = shared(
  await startHttpServer((call, response) => {
    let text = ''
    call.on('data', (chunk: Buffer) => (text += String(chunk)))
    call.on('end', () => {
      asked.push({ path: call.url ?? '', authorization: call.headers.authorization, form: new URLSearchParams(text) })
      response.writeHead(isAway ? 500 : 200, { 'content-type': 'application/json' })
      const session = {
        id: 'cs_test_1',
        object: 'checkout.session',
        url: 'https://checkout.stripe.com/c/pay/cs_test_1',
      }
      response.end(JSON.stringify(isAway ? { error: { type: 'api_error', message: 'No such key: sk_test' } } : session))
    })
  }),
)

const logged: { level: number; msg: string; stripe_event?: string }[] = []
const service = await sharedService({
  workers: false,
  settings: { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET, LOG_LEVEL: 'error' },
  logTo: { write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[number]) },
  console: { stripeAt: { protocol: 'http', host: '127.0.0.1', port } },
})
const { sql, url } = service

type Posted = { id: string; type: string; object: object; livemode?: boolean }

async function post(
  { id, type, object, livemode = false }: Posted,
  { secret = SECRET, ageSeconds = 0, change = '' } = {},
) {
  const payload = JSON.stringify({ id, object: 'event', api_version: '2026-01-01', type, livemode, data: { object } })
  const at = Math.floor(Date.now() / 1000) - ageSeconds
  const v1 = createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${at},v1=${v1}` }
  const response = await fetch(`${url}/console/api/stripe/webhook`, { method: 'POST', headers, body: payload + change })
  return { status: response.status, body: (await response.json()) as { outcome?: string; error: { code: string } } }
}

const paid = (accountId: number, id: string, session = 'cs_test_1', cents = 2_500): Posted => ({
  id,
  type: 'checkout.session.completed',
  object: {
    id: session,
    object: 'checkout.session',
    metadata: { mediamill_account: String(accountId) },
    payment_status: 'paid',
    currency: 'usd',
    amount_total: cents,
  },
})

const balanceOf = async (id: number) => {
  const [row] = await sql<{ balance: number; tier: string }[]>`select balance, tier from accounts where id = ${id}`
  return [row?.balance, row?.tier]
}

test('an account buys credit on a Stripe page that shows the account and the amount of the purchase [console.payments.1]', async () => {
  const { id } = await openAccount(sql)
  const browser = await signedIn(service, { kind: 'account', accountId: id })
  assert.equal((await browser.call('GET', '/session')).body.service.buy_credit, true)
  const { status, body } = await browser.call('POST', '/checkout', { body: { amount: '25.50' } })
  assert.deepEqual([status, body.url], [201, 'https://checkout.stripe.com/c/pay/cs_test_1'])
  const { path, authorization, form } = asked.at(-1) ?? assert.fail()
  assert.deepEqual([path, authorization], ['/v1/checkout/sessions', `Bearer ${KEY}`])
  assert.equal(form.get('line_items[0][price_data][unit_amount]'), '2550')
  assert.equal(form.get('metadata[mediamill_account]'), String(id))
  assert.equal(form.get('payment_intent_data[metadata][mediamill_account]'), String(id))
  assert.equal(form.get('success_url'), `${url}/console/?checkout=done`)
  for (const amount of ['0.99', '10000.01', '1.005', 'ten', '-5']) {
    assert.equal((await browser.call('POST', '/checkout', { body: { amount } })).status, 422, amount)
  }
  isAway = true
  const away = await browser.call('POST', '/checkout', { body: { amount: '25.50' } })
  isAway = false
  assert.deepEqual([away.status, away.body.error.code], [502, 'payment_unavailable'])
  assert.doesNotMatch(away.body.error.message, /sk_|Stripe/)
  const key = openBrowser(service)
  await key.call('POST', '/session', { body: { api_key: service.account.liveKey } })
  assert.equal((await key.call('POST', '/checkout', { body: { amount: '25' } })).status, 403)
})

test('a payment is booked once, even if Stripe sends its event several times at the same time [console.payments.1]', async () => {
  const { id } = await openAccount(sql)
  const shown = await Promise.all(Array.from({ length: 5 }, () => post(paid(id, 'evt_once', 'cs_once'))))
  assert.deepEqual(
    [shown.filter(({ body }) => body.outcome === 'booked').length, shown.every(({ status }) => status === 200)],
    [1, true],
  )
  assert.deepEqual(await balanceOf(id), [26_000_000, 'paid'])
  assert.equal((await post(paid(id, 'evt_other', 'cs_once'))).body.outcome, 'known', 'another event of one payment')
  assert.equal((await post(paid(id, 'evt_second', 'cs_second'))).body.outcome, 'booked')
  assert.deepEqual(await balanceOf(id), [51_000_000, 'paid'])
  const rows = await sql`select kind, reference from ledger where account_id = ${id} and kind = 'purchase' order by id`
  assert.deepEqual(
    [...rows].map((row) => row['reference']),
    ['stripe cs_once', 'stripe cs_second'],
  )
  const [entry] = await sql`select actor, action from audit where account_id = ${id} order by id limit 1`
  assert.deepEqual([entry?.['actor'], entry?.['action']], ['stripe', 'credit.bought'])
})

test("a Stripe refund event books only the increase of the payment's refund total, in any order of events [console.payments.1]", async () => {
  const { id } = await openAccount(sql)
  await post(paid(id, 'evt_paid_3', 'cs_3'))
  const refunded = (event: string, cents: number): Posted => ({
    id: event,
    type: 'charge.refunded',
    object: {
      id: 'ch_3',
      object: 'charge',
      metadata: { mediamill_account: String(id) },
      currency: 'usd',
      amount_refunded: cents,
    },
  })
  assert.equal((await post(refunded('evt_r1', 500))).body.outcome, 'booked')
  assert.equal((await post(refunded('evt_r1', 500))).body.outcome, 'known')
  assert.equal((await post(refunded('evt_r2', 2_500))).body.outcome, 'booked')
  assert.equal((await post(refunded('evt_r0', 400))).body.outcome, 'known', 'an older event that came late')
  assert.deepEqual(await balanceOf(id), [1_000_000, 'paid'])
  const rows = await sql`select amount from ledger where account_id = ${id} and kind = 'adjustment' order by id`
  assert.deepEqual(
    [...rows].map((row) => row['amount']),
    [-5_000_000, -20_000_000],
  )
})

test('a Stripe event without a valid, recent signature changes no balance [console.payments.2]', async () => {
  const { id } = await openAccount(sql)
  for (const wrong of [
    { secret: 'whsec_another0123' },
    { ageSeconds: 600 },
    { ageSeconds: -86_400 },
    { change: ' ' },
  ]) {
    const { status } = await post(paid(id, 'evt_forged', 'cs_forged'), wrong)
    assert.equal(status, 403, JSON.stringify(wrong))
  }
  const unsigned = await fetch(`${url}/console/api/stripe/webhook`, { method: 'POST', body: '{}' })
  assert.equal(unsigned.status, 403)
  assert.deepEqual(await balanceOf(id), [1_000_000, 'free'])
  const unpaid = paid(id, 'evt_unpaid', 'cs_unpaid')
  assert.equal(
    (await post({ ...unpaid, object: { ...unpaid.object, payment_status: 'unpaid' } })).body.outcome,
    'ignored',
  )
  assert.equal((await post({ ...unpaid, object: { ...unpaid.object, currency: 'eur' } })).body.outcome, 'ignored')
  assert.deepEqual(await balanceOf(id), [1_000_000, 'free'])
})

const refundAbove = (id: number): Posted => ({
  id: 'evt_above',
  type: 'charge.refunded',
  object: {
    id: 'ch_above',
    object: 'charge',
    metadata: { mediamill_account: String(id) },
    currency: 'usd',
    amount: 2_500,
    amount_refunded: 2_501,
  },
})

test('a Stripe payment event that cannot be booked returns an error to Stripe and logs one error line', async () => {
  const { id } = await openAccount(sql)
  const first = paid(id, 'evt_first', 'cs_same')
  assert.equal((await post(first)).body.outcome, 'booked')
  const lost = paid(id, 'evt_lost', 'cs_lost')
  logged.length = 0
  const cases: [Posted, number, string][] = [
    [paid(999_999, 'evt_nobody', 'cs_nobody'), 404, 'not_found'],
    [
      { ...first, id: 'evt_no_id', object: { ...first.object, metadata: { mediamill_account: 'x' } } },
      404,
      'not_found',
    ],
    // After a restore, a new account can get the id of a lost account. The payment is older than the new account.
    [{ ...lost, object: { ...lost.object, created: Math.floor(Date.now() / 1000) - 3_600 } }, 404, 'not_found'],
    [paid(id, 'evt_changed', 'cs_same', 2_600), 409, 'conflict'],
    [paid(id, 'evt_rich', 'cs_rich', 900_719_925_474), 409, 'conflict'],
    [paid(id, 'evt_negative', 'cs_negative', -1_000), 422, 'validation_failed'],
    [paid(id, 'evt_huge', 'cs_huge', 1e15), 422, 'validation_failed'],
    [{ ...paid(id, 'evt_live', 'cs_live'), livemode: true }, 422, 'validation_failed'],
    [paid(id, 'evt_\0', 'cs_nul'), 422, 'validation_failed'],
    [paid(id, `evt_${'x'.repeat(3_000)}`, 'cs_long'), 422, 'validation_failed'],
    [paid(id, 'evt_nul', 'cs_\0'), 422, 'validation_failed'],
    [refundAbove(id), 422, 'validation_failed'],
  ]
  for (const [event, status, code] of cases) {
    const response = await post(event)
    assert.deepEqual([response.status, response.body.error.code], [status, code], event.id)
  }
  const lines = logged.map(({ level, msg, stripe_event }) => [level, msg, stripe_event])
  assert.deepEqual(
    lines,
    cases.map(([event]) => [50, 'stripe event not recorded in the ledger', event.id]),
  )
  assert.deepEqual(await balanceOf(id), [26_000_000, 'paid'])
  const { id: late } = await openAccount(sql)
  assert.equal((await post({ ...paid(late, 'evt_nobody', 'cs_nobody') })).body.outcome, 'booked', 'sent again')
  // After a restore, an operator books a lost payment by hand. Then Stripe resends the event of this payment.
  await buyCredit(sql, late, microUsd(25_000_000), 'stripe cs_by_hand')
  const [balance] = await balanceOf(late)
  const resent = await post(paid(late, 'evt_by_hand', 'cs_by_hand'))
  assert.deepEqual([resent.status, (await balanceOf(late))[0]], [200, balance], 'booked once')
})

test('without Stripe keys, accounts cannot buy credit, and Stripe events are rejected [console.payments.3]', async () => {
  await using plain = await startService({ workers: false })
  const browser = await signedIn(plain, { kind: 'account', accountId: plain.account.id })
  assert.equal((await browser.call('GET', '/session')).body.service.buy_credit, false)
  assert.equal((await browser.call('POST', '/checkout', { body: { amount: '25' } })).status, 404)
  assert.equal((await fetch(`${plain.url}/console/api/stripe/webhook`, { method: 'POST', body: '{}' })).status, 404)
})
