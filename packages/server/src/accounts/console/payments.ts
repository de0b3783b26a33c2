import type { AccountId } from '@mediamill/contract/domain/ids'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd, toDollars } from '@mediamill/contract/domain/money'
import { findAccount } from '../../db/accounts/accounts.ts'
import { insertStripeEvent, raiseRefunded } from '../../db/accounts/stripe.ts'
import type { Runner, Sql } from '../../db/connection/connect.ts'
import { transact, waitForDisk } from '../../db/connection/transaction.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import { adjustCredit, buyCredit } from '../credit.ts'

/** A payment, or the total refund of a charge. `createdAt`: when Stripe created the Checkout session or the charge. */
export type Payment = { accountId: AccountId; createdAt?: Date | undefined } & (
  | { kind: 'paid'; amount: MicroUsd; sessionId: string }
  | { kind: 'refunded'; total: MicroUsd; chargeId: string }
)

export const MICRO_PER_CENT = 10_000

export const paymentReference = (sessionId: string) => `stripe ${sessionId}`

export const refundReference = (chargeId: string) => `refund of ${chargeId}`

export const STRIPE: Author = { actor: 'stripe', sessionId: null }

const CLOCK_SKEW_MS = 300_000

/**
 * Returns whether the account that paid still exists. Compares times too: after a restore of the database, a new
 * account can get the id of the lost account that paid.
 */
export async function hasPayer(sql: Runner, { accountId, createdAt }: Pick<Payment, 'accountId' | 'createdAt'>) {
  const account = await findAccount(sql, accountId)
  if (account === undefined || createdAt === undefined) return account !== undefined
  return account.createdAt.getTime() <= createdAt.getTime() + CLOCK_SKEW_MS
}

/**
 * Books a payment or a refund once, even if Stripe reports it in several events. Returns `known` if it was booked
 * earlier.
 */
export async function bookPayment(
  sql: Sql,
  author: Author,
  payment: Payment,
  event?: { id: string; type: string },
): Promise<'booked' | 'known' | 'unknown_account'> {
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    if (!(await hasPayer(tx, payment))) return 'unknown_account'
    if (event !== undefined && !(await insertStripeEvent(tx, event))) return 'known'
    return await (payment.kind === 'paid' ? bookPaid(tx, author, payment) : bookRefund(tx, author, payment))
  })
}

async function bookPaid(
  tx: Runner,
  author: Author,
  { accountId, amount, sessionId }: Extract<Payment, { kind: 'paid' }>,
): Promise<'booked' | 'known'> {
  const reference = paymentReference(sessionId)
  const change = { accountId, action: 'credit.bought', subject: reference, detail: { amount: toDollars(amount) } }
  const booked = await audited(tx, author, change, async () => {
    const { isBooked } = await buyCredit(tx, accountId, amount, reference)
    return isBooked || undefined
  })
  return booked === undefined ? 'known' : 'booked'
}

async function bookRefund(
  tx: Runner,
  author: Author,
  { accountId, total, chargeId }: Extract<Payment, { kind: 'refunded' }>,
): Promise<'booked' | 'known'> {
  const more = await raiseRefunded(tx, { id: chargeId, accountId, refunded: total })
  if (more === 0) return 'known'
  const amount = microUsd(-more)
  const change = { accountId, action: 'credit.refunded', subject: chargeId, detail: { amount: toDollars(amount) } }
  await audited(tx, author, change, async () => await adjustCredit(tx, accountId, amount, refundReference(chargeId)))
  return 'booked'
}
