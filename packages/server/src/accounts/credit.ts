import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { findAccount, insertAdjustment, insertPurchase, lockAccount } from '../db/accounts/accounts.ts'
import { findPurchase } from '../db/accounts/ledger.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'

export type Booking = { account: AccountRow; isBooked: boolean }

/** Books a purchase once per reference. Throws `OperatorError` if the reference was booked with another amount. */
export async function buyCredit(sql: Runner, id: number, amount: MicroUsd, reference: string | null): Promise<Booking> {
  return await transact(sql, async (tx) => {
    // Locks the account first, so that a second call with the same reference finds the purchase of the first call.
    if (!(await lockAccount(tx, id))) throw noAccount(id)
    const earlier = reference === null ? undefined : await findPurchase(tx, id, reference)
    if (earlier !== undefined && earlier.amount !== amount) {
      throw new OperatorError(
        `The reference ${reference} was already booked, with ${formatDollars(microUsd(earlier.amount))}. Use another reference, or correct the balance with ledger adjust.`,
      )
    }
    const account = earlier ? await findAccount(tx, id) : await insertPurchase(tx, id, amount, reference)
    if (account === undefined) throw tooRich()
    return { account, isBooked: earlier === undefined }
  })
}

export async function adjustCredit(sql: Runner, id: number, amount: MicroUsd, reason: string): Promise<AccountRow> {
  const account = await insertAdjustment(sql, id, amount, reason)
  if (account !== undefined) return account
  throw (await findAccount(sql, id)) === undefined ? noAccount(id) : tooRich()
}

const noAccount = (id: number) =>
  new OperatorError(`There is no account ${id}. To list the accounts, run mediamill account list.`)

const tooRich = () =>
  new OperatorError(`The balance would exceed the maximum of ${formatDollars(microUsd(Number.MAX_SAFE_INTEGER))}.`)
