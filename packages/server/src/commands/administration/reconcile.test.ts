import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { microUsd } from '@mediamill/contract/domain/money'
import { createDatabase } from '@mediamill/lab/support/database'
import type { FakeStripe } from '@mediamill/lab/support/fake-stripe'
import { startFakeStripe } from '@mediamill/lab/support/fake-stripe'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { bookPayment, STRIPE } from '../../accounts/console/payments.ts'
import { reconcile } from '../../accounts/console/reconcile.ts'
import { adjustCredit, buyCredit } from '../../accounts/credit.ts'
import { StripeRecords } from '../../outbound/stripe-records.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const KEY = 'sk_test_0123456789abcdef'
const SECOND = 1_000
const DAY = 86_400 * SECOND
const COMMAND = { actor: 'command', sessionId: null, name: 'root@test' } as const

const secondsAgo = (ms: number) => Math.floor((Date.now() - ms) / SECOND)

type Given = { cents?: number; ageMs?: number } & Record<string, unknown>

function pay(stripe: FakeStripe, accountId: number | string, id: string, given: Given = {}) {
  const { cents = 2_500, ageMs = 0, ...other } = given
  const metadata = { mediamill_account: String(accountId) }
  const session = { status: 'complete', payment_status: 'paid', currency: 'usd', amount_total: cents, metadata }
  stripe.objects.push({ id, object: 'checkout.session', created: secondsAgo(ageMs), ...session, ...other })
}

function refund(stripe: FakeStripe, accountId: number, id: string, cents: number) {
  const metadata = { mediamill_account: String(accountId) }
  const amounts = { currency: 'usd', amount: 2_500, amount_refunded: cents }
  const charge = { id, object: 'charge', created: secondsAgo(0), ...amounts, metadata }
  stripe.objects.push(charge, { id: `re_${id}_${cents}`, object: 'refund', created: secondsAgo(0), charge })
}

/** Returns the unresolved differences as text: kind, account, reference, dollars at Stripe, dollars in the ledger. */
async function differences({ at }: FakeStripe, author?: typeof COMMAND) {
  const to = new Date(Date.now() + DAY)
  const period = { from: new Date(Date.now() - DAY), to }
  const { remaining } = await reconcile(sql, new StripeRecords(KEY, at), period, author)
  return remaining
    .map(({ kind, accountId, reference, atStripe, inLedger }) =>
      [kind, accountId, reference, atStripe / 1e6, inLedger / 1e6].join(' '),
    )
    .toSorted()
}

const balanceOf = async (id: number) => {
  const [row] = await sql<{ balance: number }[]>`select balance from accounts where id = ${id}`
  return row?.balance
}

/** Deletes all ledger entries, because each test has its own fake Stripe. */
async function clearLedger() {
  await sql`update accounts set balance = 0`
  await sql`truncate ledger, stripe_charges, stripe_events`
}

test('reconcile books each payment that Stripe has and the ledger lacks, once [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  pay(stripe, id, 'cs_lost')
  pay(stripe, id, 'cs_credited')
  await bookPayment(sql, STRIPE, {
    kind: 'paid',
    accountId: id,
    amount: microUsd(25_000_000),
    sessionId: 'cs_credited',
  })
  pay(stripe, id, 'cs_late', { ageMs: 10 * DAY, cents: 1_000 })
  pay(stripe, id, 'cs_unpaid', { payment_status: 'unpaid' })
  pay(stripe, id, 'cs_open', { status: 'open', payment_status: 'unpaid' })
  pay(stripe, id, 'cs_euro', { currency: 'eur' })
  pay(stripe, id, 'cs_other_sale', { metadata: {} })
  await sql`update accounts set created_at = now() - interval '1 year' where id = ${id}`
  const lost = [`not_in_ledger ${id} stripe cs_late 10 0`, `not_in_ledger ${id} stripe cs_lost 25 0`]
  assert.deepEqual(await differences(stripe), lost)
  const before = Number(await balanceOf(id))
  assert.deepEqual(await Promise.all([differences(stripe, COMMAND), differences(stripe, COMMAND)]), [[], []])
  assert.equal(await balanceOf(id), before + 35_000_000)
  const event = { id: 'evt_late', type: 'checkout.session.completed' }
  const resent = { kind: 'paid', accountId: id, amount: microUsd(25_000_000), sessionId: 'cs_lost' } as const
  assert.equal(await bookPayment(sql, STRIPE, resent, event), 'known', 'Stripe sends the lost event again')
  assert.equal(await balanceOf(id), before + 35_000_000)
  const audits =
    await sql`select actor, subject from audit where account_id = ${id} and action = 'credit.bought' order by subject`
  assert.deepEqual(
    audits.map(({ actor, subject }) => [actor, subject]),
    [
      ['stripe', 'stripe cs_credited'],
      ['command', 'stripe cs_late'],
      ['command', 'stripe cs_lost'],
    ],
  )
})

test('reconcile compares only the payments and ledger entries of the given period, which includes its start and excludes its end', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  const [from, to] = [new Date(Date.now() - 2 * DAY), new Date(Date.now() - DAY)]
  for (const [session, at] of [
    ['cs_first', from],
    ['cs_next', to],
  ] as const) {
    await buyCredit(sql, id, microUsd(25_000_000), `stripe ${session}`)
    await sql`update ledger set created_at = ${at} where reference = ${`stripe ${session}`}`
  }
  pay(stripe, id, 'cs_within', { ageMs: 1.5 * DAY })
  pay(stripe, id, 'cs_after')
  const found = await reconcile(sql, new StripeRecords(KEY, stripe.at), { from, to })
  assert.deepEqual(
    found.differences.map(({ kind, reference }) => [kind, reference]),
    [
      ['not_in_ledger', 'stripe cs_within'],
      ['not_at_stripe', 'stripe cs_first'],
    ],
  )
})

test('reconcile books each refund that the ledger lacks, once [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  refund(stripe, id, 'ch_whole', 2_500)
  refund(stripe, id, 'ch_part', 700)
  await bookPayment(sql, STRIPE, { kind: 'refunded', accountId: id, total: microUsd(3_000_000), chargeId: 'ch_part' })
  assert.deepEqual(await differences(stripe), [
    `amount_differs ${id} refund of ch_part -7 -3`,
    `not_in_ledger ${id} refund of ch_whole -25 0`,
  ])
  const before = Number(await balanceOf(id))
  assert.deepEqual(await Promise.all([differences(stripe, COMMAND), differences(stripe, COMMAND)]), [[], []])
  assert.equal(await balanceOf(id), before - 29_000_000)
})

test('reconcile reports, but does not correct, credit that has no payment, or whose payment has another amount or account [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  const { id: other } = await openAccount(sql)
  const buy = async (to: number, session: string) => await buyCredit(sql, to, microUsd(25_000_000), `stripe ${session}`)
  await buy(id, 'cs_gone')
  pay(stripe, id, 'cs_small', { cents: 2_000 })
  await buy(id, 'cs_small')
  pay(stripe, id, 'cs_swapped')
  await buy(other, 'cs_swapped')
  pay(stripe, id, 'cs_failed', { payment_status: 'unpaid', ageMs: 90 * DAY })
  await buy(id, 'cs_failed')
  await adjustCredit(sql, id, microUsd(-5_000_000), 'refund of ch_failed')
  pay(stripe, id, 'cs_very_late', { ageMs: 90 * DAY })
  await buy(id, 'cs_very_late')
  await sql`insert into ledger (account_id, kind, amount, reference) values (${id}, 'purchase', 1, 'stripe by hand')`
  const wrong = [
    `amount_differs ${id} stripe cs_small 20 25`,
    `not_at_stripe ${id} refund of ch_failed 0 -5`,
    `not_at_stripe ${id} stripe cs_failed 0 25`,
    `not_at_stripe ${id} stripe cs_gone 0 25`,
    `not_at_stripe ${other} stripe cs_swapped 0 25`,
  ]
  const swapped = `not_in_ledger ${id} stripe cs_swapped 25 0`
  assert.deepEqual(await differences(stripe), [...wrong, swapped])
  assert.deepEqual(await differences(stripe, COMMAND), wrong)
  const fixes: [number, number, string][] = [
    [id, -25, 'stripe cs_gone'],
    [id, -5, 'stripe cs_small'],
    [other, -25, 'stripe cs_swapped'],
    [id, -25, 'stripe cs_failed'],
    [id, 5, 'refund of ch_failed'],
  ]
  for (const [account, dollars, reason] of fixes)
    await adjustCredit(sql, account, microUsd(dollars * 1_000_000), reason)
  assert.deepEqual(await differences(stripe), [], 'a correction with the reference ends the difference')
})

test('reconcile credits no account that is missing or was created after the payment [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  pay(stripe, id, 'cs_of_an_earlier_account', { ageMs: DAY / 2 })
  pay(stripe, 999_999, 'cs_of_nobody')
  pay(stripe, 'x', 'cs_of_text')
  const lost = [
    `not_in_ledger ${id} stripe cs_of_an_earlier_account 25 0`,
    'not_in_ledger 999999 stripe cs_of_nobody 25 0',
    'not_in_ledger x stripe cs_of_text 25 0',
  ]
  assert.deepEqual(await differences(stripe, COMMAND), lost)
  await buyCredit(sql, id, microUsd(25_000_000), 'stripe cs_of_nobody')
  assert.deepEqual(await differences(stripe), [lost[0], lost[2]], 'credited to the account that the payer has now')
})

test('reconcile reads every page from Stripe, and retries a call after 429, 500, or a timeout [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe(200)
  const { id } = await openAccount(sql)
  for (let number = 0; number < 230; number += 1) pay(stripe, id, `cs_${number}`, { cents: 100 })
  stripe.failures.push(429, 500, 'hang')
  assert.deepEqual((await differences(stripe)).length, 230)
  const lists = stripe.calls.filter((path) => path.startsWith('/v1/checkout/sessions'))
  assert.equal(lists.length, 3 + 3, 'three failures, and three pages of at most 100')
  assert.equal(new Set(lists).size, 3)
})

async function run(stripe: FakeStripe, args: string[], settings: Record<string, string> = {}) {
  const script = `
    import { runProgram } from '@mediamill/cli/src/run-program'
    import { registerLedger } from ${JSON.stringify(new URL('ledger.ts', import.meta.url).href)}
    const commands = { ledger: async () => ({ register: (program) => registerLedger(program, ${JSON.stringify(stripe.at)}) }) }
    process.exitCode = await runProgram(process.argv.slice(1), { commands, description: '', version: '', after: '' })`
  const stripeSettings = { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }
  const env = { DATABASE_URL: database.url, SECRET_KEY, ...stripeSettings, ...settings }
  const argv = ['--input-type=module', '-e', script, 'ledger', 'reconcile', ...args]
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const cwd = new URL('.', import.meta.url)
    const child = execFile(process.execPath, argv, { env, cwd }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('ledger reconcile prints a fix for each difference and exits with 1, and with --apply books each missing payment [operator.commands.15]', async () => {
  await clearLedger()
  await using stripe = await startFakeStripe()
  const { id } = await openAccount(sql)
  pay(stripe, id, 'cs_lost')
  const found = await run(stripe, ['--stripe'])
  assert.equal(found.code, 1, found.stderr)
  assert.match(
    found.stdout,
    new RegExp(`${id} +stripe cs_lost +not in the ledger +\\$25\\.00 +\\$0\\.00 +run this command with --apply`),
  )
  assert.match(found.stderr, /The ledger differs from Stripe: see the rows above\./)
  const booked = await run(stripe, ['--stripe', '--apply', '--json'])
  assert.equal(booked.code, 0, booked.stderr)
  const { ok, payments, differences: rows } = JSON.parse(booked.stdout)
  assert.deepEqual([ok, payments, rows.length, rows[0].booked, rows[0].account], [true, 1, 1, true, String(id)])
  const equal = await run(stripe, ['--stripe'])
  assert.deepEqual(
    [equal.code, equal.stdout],
    [0, 'The ledger matches Stripe (payments: 1, charges with refunds: 0).\n'],
  )
  await buyCredit(sql, id, microUsd(5_000_000), 'stripe cs_none')
  const extra = await run(stripe, ['--stripe', '--apply'])
  assert.equal(extra.code, 1)
  assert.match(extra.stdout, new RegExp(`mediamill ledger adjust ${id} -5\\.00 --reason "stripe cs_none"`))
})

const FAILURES: [FakeStripe['failures'], RegExp][] = [
  [[401], /^Stripe rejected STRIPE_SECRET_KEY \(401\)\. Use a valid secret key/],
  [[403], /^STRIPE_SECRET_KEY lacks a permission \(403\)\. Allow this restricted key to read Checkout Sessions/],
  [[400], /^Stripe rejected the call \(400\): /],
  [[429, 429, 429, 429], /^Stripe limited the rate of calls \(429\), 4 times\. Run the command again later/],
  [[503, 500, 502, 500], /^Stripe responded with 500, 4 times\. Run the command again later/],
  [['hang', 'hang', 'hang', 'hang'], /^Stripe did not respond, 4 times: .*timeout.*\. Run the command again later/],
]

test('reconcile prints a fix for a wrong Stripe key and for a Stripe outage [operator.commands.15]', async () => {
  await Promise.all(
    FAILURES.map(async ([failures, message]) => {
      await using stripe = await startFakeStripe(200)
      stripe.failures.push(...failures)
      const reading = new StripeRecords(KEY, stripe.at).payments({ from: new Date(0), to: new Date() })
      await assert.rejects(reading, (error) => error instanceof OperatorError && message.test(error.message))
      assert.deepEqual(stripe.failures, [])
    }),
  )
})

test('ledger reconcile prints a one-line error if the key is wrong or missing, or if an option is wrong [operator.commands.15]', async () => {
  await using stripe = await startFakeStripe()
  stripe.failures.push(401)
  const rejected = await run(stripe, ['--stripe'])
  assert.deepEqual([rejected.code, rejected.stdout], [1, ''])
  assert.match(rejected.stderr, /^mediamill: Stripe rejected STRIPE_SECRET_KEY \(401\)\.[^\n]*\n$/)
  assert.doesNotMatch(rejected.stderr, /0123456789/)
  const unset = await run(stripe, ['--stripe'], { STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' })
  assert.deepEqual([unset.code, /STRIPE_SECRET_KEY is not set/.test(unset.stderr)], [1, true], unset.stderr)
  const reversed = await run(stripe, ['--stripe', '--from', '2026-02-01', '--to', '2026-01-01'])
  assert.match(reversed.stderr, /--from must be before --to \(got 2026-02-01T/)
  for (const wrong of [[], ['--stripe', '--from', 'yesterday']]) assert.equal((await run(stripe, wrong)).code, 2)
})
