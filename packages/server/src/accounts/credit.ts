import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { findAccount, insertAdjustment, insertPurchase, lockAccount } from '../db/accounts/accounts.ts'
import { findPurchase } from '../db/accounts/ledger.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'

/** The account after a booking, and whether there was anything to book. */
export type Booking = { account: AccountRow; isBooked: boolean }

/**
 * Books a purchase of credit; the account is a paid one from then on. A reference books once for each account.
 *
 * Throws `OperatorError` when there is no such account, when the balance would be more than can be kept, and when the
 * reference was booked with another amount.
 */
export async function buyCredit(sql: Runner, id: number, amount: MicroUsd, reference: string | null): Promise<Booking> {
  return await transact(sql, async (tx) => {
    // Locked first: of two processes with one reference the second must see what the first has booked.
    if (!(await lockAccount(tx, id))) throw noAccount(id)
    const earlier = reference === null ? undefined : await findPurchase(tx, id, reference)
    if (earlier !== undefined && earlier.amount !== amount) {
      throw new OperatorError(
        `The reference ${reference} was booked with ${formatDollars(microUsd(earlier.amount))} already: use another reference, or correct the balance with ledger adjust.`,
      )
    }
    const account = earlier ? await findAccount(tx, id) : await insertPurchase(tx, id, amount, reference)
    if (account === undefined) throw tooRich()
    return { account, isBooked: earlier === undefined }
  })
}

/**
 * Corrects a balance by an amount of either sign. The reason stays in the ledger. The tier stays as it is.
 *
 * Throws `OperatorError` when there is no such account, or when the balance would be more than can be kept.
 */
export async function adjustCredit(sql: Runner, id: number, amount: MicroUsd, reason: string): Promise<AccountRow> {
  const account = await insertAdjustment(sql, id, amount, reason)
  if (account !== undefined) return account
  throw (await findAccount(sql, id)) === undefined ? noAccount(id) : tooRich()
}

const noAccount = (id: number) => new OperatorError(`There is no account ${id}.`)

const tooRich = () =>
  new OperatorError(
    `The balance would be more than ${formatDollars(microUsd(Number.MAX_SAFE_INTEGER))}, the most that can be kept.`,
  )
