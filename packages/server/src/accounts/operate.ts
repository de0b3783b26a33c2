import type { MicroUsd } from '@mediamill/contract/domain/money'
import { toDollars } from '@mediamill/contract/domain/money'
import type { AccountChange, AccountRow } from '../db/accounts/accounts.ts'
import { updateAccount } from '../db/accounts/accounts.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { Author } from './audit.ts'
import { audited } from './audit.ts'
import type { NewAccount } from './create-account.ts'
import { createAccount } from './create-account.ts'
import type { Booking } from './credit.ts'
import { adjustCredit, buyCredit } from './credit.ts'

/** Creates an account for an operator. `credit` is the first purchase of the account. */
export async function openAccountFor(
  sql: Sql,
  secretKey: string,
  author: Author,
  account: { name: string; email: string; credit?: MicroUsd | undefined },
): Promise<NewAccount> {
  const detail = account.credit === undefined ? {} : { credit: toDollars(account.credit) }
  const change = { accountId: null, action: 'account.created', subject: account.name, detail }
  return await audited(sql, author, change, async (tx, complete) => {
    const made = await createAccount(tx, secretKey, account)
    complete({ accountId: made.id })
    return made
  })
}

export async function changeAccount(
  sql: Sql,
  author: Author,
  id: number,
  fields: AccountChange,
): Promise<AccountRow | undefined> {
  const change = { accountId: id, action: 'account.changed', detail: fields }
  return await audited(sql, author, change, (tx) => updateAccount(tx, id, fields))
}

export async function setWebhookUrl(
  sql: Sql,
  author: Author,
  id: number,
  url: string | null,
): Promise<AccountRow | undefined> {
  const change = { accountId: id, action: 'webhook.set', detail: { url } }
  return await audited(sql, author, change, (tx) => updateAccount(tx, id, { webhookUrl: url }))
}

export async function creditAccount(
  sql: Sql,
  author: Author,
  id: number,
  amount: MicroUsd,
  reference: string | null,
): Promise<Booking> {
  const change = { accountId: id, action: 'credit.bought', subject: reference, detail: { amount: toDollars(amount) } }
  return await audited(sql, author, change, async (tx, complete) => {
    const booking = await buyCredit(tx, id, amount, reference)
    if (!booking.isBooked) complete({ action: 'credit.bought_before' })
    return booking
  })
}

export async function adjustAccount(
  sql: Sql,
  author: Author,
  id: number,
  amount: MicroUsd,
  reason: string,
): Promise<AccountRow> {
  const change = { accountId: id, action: 'credit.adjusted', subject: reason, detail: { amount: toDollars(amount) } }
  return await audited(sql, author, change, (tx) => adjustCredit(tx, id, amount, reason))
}
