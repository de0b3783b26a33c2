import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { toDollars } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../../db/accounts/accounts.ts'
import { findAccount, lockAccount, searchAccounts } from '../../db/accounts/accounts.ts'
import type { LedgerRow, RevenueRow } from '../../db/accounts/ledger.ts'
import { listMovements, sumRevenue } from '../../db/accounts/ledger.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import type { OwnLimits } from '../change-account.ts'
import { renameAccount, resumeAccount, setLimits, suspendAccount } from '../change-account.ts'
import type { NewAccount } from '../create-account.ts'
import { createAccount } from '../create-account.ts'
import type { Booking } from '../credit.ts'
import { adjustCredit, buyCredit } from '../credit.ts'

export type { AccountRow } from '../../db/accounts/accounts.ts'
export type { LedgerRow, RevenueRow } from '../../db/accounts/ledger.ts'

type Page = { before: number | null; limit: number }

const pageOf = <Row>(rows: Row[], limit: number) => ({ rows: rows.slice(0, limit), hasMore: rows.length > limit })

/** A page of accounts, newest first. A search matches the beginning of the id, the name, or the email address. */
export async function accountPage(sql: Sql, search: string | null, { before, limit }: Page) {
  return pageOf<AccountRow>(await searchAccounts(sql, { search, before, limit: limit + 1 }), limit)
}

export async function operatedAccount(sql: Sql, id: number): Promise<AccountRow | undefined> {
  return await findAccount(sql, id)
}

/** A page of ledger entries, newest first, of one account or of all accounts. */
export async function ledgerPage(sql: Sql, accountId: number | null, { before, limit }: Page) {
  return pageOf<LedgerRow>(await listMovements(sql, { accountId, before, limit: limit + 1 }), limit)
}

export async function revenueOf(sql: Sql, days: number): Promise<RevenueRow[]> {
  return await sumRevenue(sql, days)
}

export async function openAccountFor(
  sql: Sql,
  secretKey: string,
  author: Author,
  account: { name: string; email: string },
): Promise<NewAccount> {
  const change = { accountId: null, action: 'account.created', subject: account.name }
  return await audited(sql, author, change, async (tx, complete) => {
    const made = await createAccount(tx, secretKey, account)
    complete({ accountId: made.id })
    return made
  })
}

export type AccountChange = {
  name?: string | undefined
  suspended?: boolean | undefined
  limits?: OwnLimits | undefined
}

/** Changes an account in one transaction, and records the change. Returns `undefined` if the account does not exist. */
export async function changeAccount(
  sql: Sql,
  author: Author,
  id: number,
  wanted: AccountChange,
): Promise<AccountRow | undefined> {
  const change = { accountId: id, action: 'account.changed', detail: wanted }
  return await audited(sql, author, change, async (tx) => {
    if (!(await lockAccount(tx, id))) return undefined
    const { name, suspended, limits } = wanted
    if (name !== undefined) await renameAccount(tx, id, name)
    if (suspended !== undefined) await (suspended ? suspendAccount(tx, id) : resumeAccount(tx, id))
    if (limits !== undefined) await setLimits(tx, id, limits)
    return await findAccount(tx, id)
  })
}

/** Credits a purchase once per reference, like `ledger credit`. Throws `conflict` if the entry is not allowed. */
export async function creditAccount(
  sql: Sql,
  author: Author,
  id: number,
  amount: MicroUsd,
  reference: string,
): Promise<Booking> {
  const change = { accountId: id, action: 'credit.bought', subject: reference, detail: { amount: toDollars(amount) } }
  return await asConflict(
    audited(sql, author, change, async (tx, complete) => {
      const booking = await buyCredit(tx, id, amount, reference)
      if (!booking.isBooked) complete({ action: 'credit.bought_before' })
      return booking
    }),
  )
}

/** Corrects a balance with a reason, like `ledger adjust`. Throws `conflict` if the entry is not allowed. */
export async function adjustAccount(
  sql: Sql,
  author: Author,
  id: number,
  amount: MicroUsd,
  reason: string,
): Promise<AccountRow> {
  const change = { accountId: id, action: 'credit.adjusted', subject: reason, detail: { amount: toDollars(amount) } }
  return await asConflict(audited(sql, author, change, (tx) => adjustCredit(tx, id, amount, reason)))
}

/** Converts an `OperatorError` to a `conflict` response. */
async function asConflict<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof OperatorError) throw new ApiError('conflict', cause.message, { cause })
    throw cause
  }
}
