import { OperatorError } from '@mediamill/contract/domain/errors'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import { DAY_MS } from '@mediamill/contract/lib/moment'
import type { StripeEntry } from '../../db/accounts/stripe.ts'
import { listStripeEntries } from '../../db/accounts/stripe.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Period, StripeRecord, StripeRecords } from '../../outbound/stripe-records.ts'
import type { Author } from '../audit.ts'
import type { Payment } from './payments.ts'
import { bookPayment, hasPayer, MICRO_PER_CENT, paymentReference, refundReference } from './payments.ts'

export type StripeDifference = {
  kind: 'not_in_ledger' | 'not_at_stripe' | 'amount_differs'
  accountId: string
  reference: string
  atStripe: MicroUsd
  inLedger: MicroUsd
  /** `false` if the account is missing, or newer than the payment (see `hasPayer`). */
  isAccountKnown: boolean
  /** The entry to add to the ledger, or `undefined` if an operator must decide. */
  missing: Payment | undefined
}

export type Reconciliation = {
  payments: number
  refunds: number
  differences: StripeDifference[]
  remaining: StripeDifference[]
}

type Records = ReadonlyMap<string, StripeRecord | undefined>

/** How long a payment can take: a Checkout session is open for a day, and a bank debit can add two weeks. */
const LATEST_PAYMENT_MS = 15 * DAY_MS

/** Compares payments and refunds at Stripe with the ledger. If `author` is given, also books the missing entries. */
export async function reconcile(
  sql: Sql,
  stripe: StripeRecords,
  period: Period,
  author?: Author,
): Promise<Reconciliation> {
  const earlier = { from: new Date(period.from.getTime() - LATEST_PAYMENT_MS), to: period.to }
  const [payments, refunds] = [await stripe.payments(earlier), await stripe.refunds(earlier)]
  const records = new Map<string, StripeRecord | undefined>(
    [...payments, ...refunds].map((record) => [referenceOf(record), record]),
  )
  for (const { reference, since } of await listStripeEntries(sql)) {
    const isInPeriod = since >= period.from && since < period.to
    if (isInPeriod && !records.has(reference)) records.set(reference, await lookUp(stripe, reference))
  }
  const differences = await compareAll(sql, records)
  const counts = { payments: payments.length, refunds: refunds.length }
  if (author === undefined) return { ...counts, differences, remaining: differences }
  for (const { missing } of differences) {
    if (missing !== undefined) await bookPayment(sql, author, missing).catch(rethrowUnlessRejected)
  }
  return { ...counts, differences, remaining: await compareAll(sql, records) }
}

/**
 * Rethrows an error, unless the booking was rejected, for example above the maximum balance. The report then still
 * contains the difference.
 */
function rethrowUnlessRejected(error: unknown): void {
  if (!(error instanceof OperatorError)) throw error
}

const referenceOf = ({ kind, id }: StripeRecord) => (kind === 'paid' ? paymentReference(id) : refundReference(id))

async function lookUp(stripe: StripeRecords, reference: string): Promise<StripeRecord | undefined> {
  const id = reference.slice(reference.lastIndexOf(' ') + 1)
  return await (reference === paymentReference(id) ? stripe.payment(id) : stripe.refund(id))
}

async function compareAll(sql: Sql, records: Records): Promise<StripeDifference[]> {
  const entries = Map.groupBy(await listStripeEntries(sql), ({ reference }) => reference)
  const differences: StripeDifference[] = []
  for (const [reference, record] of records)
    differences.push(...(await compare(sql, reference, record, entries.get(reference) ?? [])))
  return differences
}

async function compare(
  sql: Sql,
  reference: string,
  record: StripeRecord | undefined,
  entries: readonly StripeEntry[],
): Promise<StripeDifference[]> {
  const atStripe = record === undefined ? 0 : signedCents(record) * MICRO_PER_CENT
  const accounts = new Set([
    ...(record ? [record.accountId] : []),
    ...entries.map(({ accountId }) => String(accountId)),
  ])
  const differing = [...accounts]
    .map((accountId) => ({
      accountId,
      atStripe: microUsd(accountId === record?.accountId ? atStripe : 0),
      inLedger: microUsd(sumOf(entries.filter((entry) => String(entry.accountId) === accountId))),
    }))
    .filter((sums) => sums.atStripe !== sums.inLedger)
  if (differing.length === 0) return []
  const owner = record && (await ownerOf(sql, record))
  // The account that paid was lost in a restore, so an operator may have credited another account.
  if (record !== undefined && owner === undefined && sumOf(entries) === atStripe) return []
  return differing.map((sums) => ({
    ...sums,
    reference,
    kind: sums.inLedger === 0 ? 'not_in_ledger' : sums.atStripe === 0 ? 'not_at_stripe' : 'amount_differs',
    isAccountKnown: sums.accountId !== record?.accountId || owner !== undefined,
    missing:
      record && owner && sums.accountId === record.accountId ? missingOf(record, owner, sums.inLedger) : undefined,
  }))
}

function missingOf(record: StripeRecord, accountId: AccountId, inLedger: MicroUsd): Payment | undefined {
  const amount = microUsd(record.cents * MICRO_PER_CENT)
  if (record.kind === 'paid')
    return inLedger === 0 ? { kind: 'paid', accountId, amount, sessionId: record.id } : undefined
  return 0 - amount < inLedger ? { kind: 'refunded', accountId, total: amount, chargeId: record.id } : undefined
}

async function ownerOf(sql: Sql, { accountId, createdAt }: StripeRecord): Promise<AccountId | undefined> {
  const id = parseId<AccountId>(accountId)
  return id !== undefined && (await hasPayer(sql, { accountId: id, createdAt })) ? id : undefined
}

const signedCents = ({ kind, cents }: StripeRecord) => (kind === 'paid' ? cents : -cents)

const sumOf = (entries: readonly StripeEntry[]) => entries.reduce((sum, { amount }) => sum + amount, 0)
