import { describeTable, good, print } from '@mediamill/cli/src/terminal/output'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatDollars, microUsd, toMoney } from '@mediamill/contract/domain/money'
import { DAY_MS } from '@mediamill/contract/lib/moment'
import type { Command } from 'commander'
import type { Reconciliation, StripeDifference } from '../../accounts/console/reconcile.ts'
import { reconcile } from '../../accounts/console/reconcile.ts'
import type { StripeAddress } from '../../outbound/stripe.ts'
import { StripeRecords } from '../../outbound/stripe-records.ts'
import { commandAuthor, JSON_FLAG, momentArgument, withDatabase } from './administer.ts'

type Options = { from?: string; to?: string; apply?: true; json?: true }

const DAYS = 30

const HELP = `
Exits with 1 if a difference remains. Payments are compared if their Checkout
session was opened in the period or up to 15 days before it.

Example:
  mediamill ledger reconcile --stripe --from 2026-11-26T21:49:43Z`

export function registerReconcile(ledger: Command, stripeAt?: StripeAddress): void {
  ledger
    .command('reconcile')
    .description('Compare the ledger with the payments and refunds that Stripe recorded.')
    .requiredOption('--stripe', 'compare with Stripe, with the key STRIPE_SECRET_KEY')
    .option('--from <time>', `start of the period, ${DAYS} days before its end by default`, momentArgument)
    .option('--to <time>', 'end of the period, now by default', momentArgument)
    .option('--apply', 'book the payments and refunds that the ledger lacks, each once')
    .option(...JSON_FLAG)
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const period = periodOf(options)
      const found = await withDatabase(async (sql, { stripeSecretKey }) => {
        if (stripeSecretKey === undefined)
          throw new OperatorError('STRIPE_SECRET_KEY is not set. Run the command with the Stripe settings of the API.')
        const author = options.apply === true ? commandAuthor() : undefined
        return await reconcile(sql, new StripeRecords(stripeSecretKey, stripeAt), period, author)
      })
      const rows = rowsOf(found, options.apply === true)
      const isEqual = found.remaining.length === 0
      const { payments, refunds } = found
      print(options.json, { ok: isEqual, payments, refunds, differences: rows.map(present) }, () =>
        rows.length === 0 ? good(agreement(found)) : describe(rows),
      )
      if (!isEqual) throw new OperatorError('The ledger differs from Stripe: see the rows above.')
    })
}

type Row = StripeDifference & { isBooked: boolean; fix: string }

function periodOf({ from, to }: Options): { from: Date; to: Date } {
  const end = to === undefined ? new Date() : new Date(to)
  const start = from === undefined ? new Date(end.getTime() - DAYS * DAY_MS) : new Date(from)
  if (start < end) return { from: start, to: end }
  throw new OperatorError(`--from must be before --to (got ${start.toISOString()} and ${end.toISOString()}).`)
}

function rowsOf({ differences, remaining }: Reconciliation, isApplied: boolean): Row[] {
  const open = new Map(remaining.map((difference) => [keyOf(difference), difference]))
  return differences.map((difference) => {
    const still = open.get(keyOf(difference))
    return still === undefined
      ? { ...difference, isBooked: true, fix: 'none: booked now' }
      : { ...still, isBooked: false, fix: fixOf(still, isApplied) }
  })
}

const keyOf = ({ reference, accountId }: StripeDifference) => `${reference} ${accountId}`

function fixOf(difference: StripeDifference, isApplied: boolean): string {
  const { accountId, reference, atStripe, inLedger, isAccountKnown, missing } = difference
  if (missing !== undefined && !isApplied) return 'run this command with --apply'
  const amount = formatDollars(microUsd(atStripe - inLedger)).replace('$', '')
  if (!isAccountKnown) {
    return atStripe > 0
      ? `account ${accountId} is missing, or newer than the payment: find the payer at Stripe, then run mediamill account credit ID ${amount} --reference "${reference}"`
      : `account ${accountId} is missing, or newer than the refund: find the payer at Stripe, then run mediamill ledger adjust ID ${amount} --reason "${reference}"`
  }
  return `compare with Stripe's dashboard, then run mediamill ledger adjust ${accountId} ${amount} --reason "${reference}"`
}

const TITLES = {
  not_in_ledger: 'not in the ledger',
  not_at_stripe: 'not at Stripe',
  amount_differs: 'amount differs',
}

function describe(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.accountId,
    row.reference,
    TITLES[row.kind],
    formatDollars(row.atStripe),
    formatDollars(row.inLedger),
    row.fix,
  ])
  return describeTable(['ACCOUNT', 'REFERENCE', 'DIFFERENCE', 'AT STRIPE', 'IN LEDGER', 'FIX'], cells)
}

const present = ({ kind, accountId, reference, atStripe, inLedger, isBooked, fix }: Row): object => ({
  kind,
  account: accountId,
  reference,
  at_stripe: toMoney(atStripe),
  in_ledger: toMoney(inLedger),
  booked: isBooked,
  fix,
})

const agreement = ({ payments, refunds }: Reconciliation) =>
  `The ledger matches Stripe (payments: ${payments}, charges with refunds: ${refunds}).`
