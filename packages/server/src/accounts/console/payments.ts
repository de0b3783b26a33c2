import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd, toDollars } from '@mediamill/contract/domain/money'
import { findAccount } from '../../db/accounts/accounts.ts'
import { insertStripeEvent, raiseRefunded } from '../../db/accounts/stripe.ts'
import type { Runner, Sql } from '../../db/connection/connect.ts'
import { transact, waitForDisk } from '../../db/connection/transaction.ts'
import { audited } from '../audit.ts'
import { adjustCredit, buyCredit } from '../credit.ts'

/** An event of the payment service: a payment, or the total amount of a charge that was refunded. */
export type Payment =
  | { kind: 'paid'; eventId: string; type: string; accountId: number; amount: MicroUsd; reference: string }
  | { kind: 'refunded'; eventId: string; type: string; accountId: number; total: MicroUsd; chargeId: string }

const AUTHOR = { actor: 'stripe', sessionId: null } as const

/** Books a payment event once. Returns `known` if the event was booked before. */
export async function bookPayment(sql: Sql, payment: Payment): Promise<'booked' | 'known' | 'unknown_account'> {
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    if ((await findAccount(tx, payment.accountId)) === undefined) return 'unknown_account'
    if (!(await insertStripeEvent(tx, { id: payment.eventId, type: payment.type }))) return 'known'
    return await (payment.kind === 'paid' ? bookPaid(tx, payment) : bookRefund(tx, payment))
  })
}

async function bookPaid(
  tx: Runner,
  { accountId, amount, reference }: Extract<Payment, { kind: 'paid' }>,
): Promise<'booked' | 'known'> {
  const change = { accountId, action: 'credit.bought', subject: reference, detail: { amount: toDollars(amount) } }
  const booked = await audited(tx, AUTHOR, change, async () => {
    const { isBooked } = await buyCredit(tx, accountId, amount, reference)
    return isBooked || undefined
  })
  return booked === undefined ? 'known' : 'booked'
}

async function bookRefund(
  tx: Runner,
  { accountId, total, chargeId }: Extract<Payment, { kind: 'refunded' }>,
): Promise<'booked' | 'known'> {
  const more = await raiseRefunded(tx, { id: chargeId, accountId, refunded: total })
  if (more === 0) return 'known'
  const amount = microUsd(-more)
  const change = { accountId, action: 'credit.refunded', subject: chargeId, detail: { amount: toDollars(amount) } }
  await audited(tx, AUTHOR, change, async () => await adjustCredit(tx, accountId, amount, `refund of ${chargeId}`))
  return 'booked'
}
