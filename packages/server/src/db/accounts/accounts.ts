import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import type { Tier } from '@mediamill/contract/domain/limits'
import type { Runner } from '../connection/connect.ts'

export type AccountRow = {
  id: number
  name: string
  email: string
  tier: Tier
  balance: number
  held: number
  openLive: number
  openTest: number
  testAcceptedToday: number
  webhookUrl: string | null
  requestsPerMinute: number | null
  concurrentRequests: number | null
  maxSourceBytes: number | null
  /** The share in the fair order, compared with accounts of weight 1. */
  weight: number
  suspended: boolean
  createdAt: Date
}

const columns = (sql: Runner) => sql`
  id, name, email, tier, balance, held, open_live as "openLive", open_test as "openTest",
  case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end as "testAcceptedToday",
  webhook_url as "webhookUrl", requests_per_minute as "requestsPerMinute", concurrent_requests as "concurrentRequests",
  max_source_bytes as "maxSourceBytes", weight, suspended, created_at as "createdAt"`

/** Opens an account with its first grant in the ledger, if there is one (billing.ledger.2). */
export async function insertAccount(
  sql: Runner,
  account: { name: string; email: string; emailKey: string | null; grant: number },
): Promise<AccountRow> {
  const [row] = await sql<AccountRow[]>`
    with account as (
      insert into accounts (name, email, email_key, balance)
      values (${account.name}, ${account.email}, ${account.emailKey}, ${account.grant})
      returning *
    ), granted as (
      insert into ledger (account_id, kind, amount, reference)
      select id, 'grant', balance, 'free credit of a new account' from account where balance > 0
    )
    select ${columns(sql)} from account`
  if (row === undefined) throw new Error('an inserted account came back without its row')
  return row
}

export async function findAccount(sql: Runner, id: number): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`select ${columns(sql)} from accounts where id = ${id}`
  return row
}

/** An address as it is compared. Rows of earlier versions have no key: their ASCII letters are folded here, and no other. */
const emailKey = (sql: Runner) => sql`
  coalesce(email_key, translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) collate "C"`

/** Finds the accounts with an e-mail address. It returns at most ten ids, oldest first. */
export async function accountsWithEmail(sql: Runner, email: string): Promise<number[]> {
  const key = readEmailAddress(email)?.key ?? email
  const rows = await sql<{ id: number }[]>`select id from accounts where ${emailKey(sql)} = ${key} order by id limit 10`
  return rows.map(({ id }) => id)
}

/** Whether an account has an address of this mailbox, with whatever `+tag`. */
export async function hasMailbox(sql: Runner, mailbox: string): Promise<boolean> {
  const at = mailbox.lastIndexOf('@')
  const literal = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&')
  const tagged = `${literal(mailbox.slice(0, at))}+%${literal(mailbox.slice(at))}`
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from accounts where ${emailKey(sql)} = ${mailbox} or ${emailKey(sql)} like ${tagged}) as found`
  return row?.found === true
}

/** Makes other transactions that open an account for this mailbox, or mail to it, wait until this one ends. */
export async function lockMailbox(tx: Runner, mailbox: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${mailbox}, 7204665))`
}

/**
 * Accounts with an id below `before`, the newest first. Of a search those with this id, or whose name or e-mail address
 * begins so, in capitals or not.
 */
export async function searchAccounts(
  sql: Runner,
  which: { search: string | null; before: number | null; limit: number },
): Promise<AccountRow[]> {
  const { search, limit } = which
  const before = which.before ?? Number.MAX_SAFE_INTEGER
  if (search === null) {
    return await sql<AccountRow[]>`
      select ${columns(sql)} from accounts where id < ${before}::bigint order by id desc limit ${limit}`
  }
  const beginning = `${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const id = /^\d{1,15}$/.test(search) ? Number(search) : 0
  // Each part goes through an index of its own, and is bounded by itself.
  const part = (where: ReturnType<typeof sql>) =>
    sql`(select id from accounts where ${where} and id < ${before}::bigint order by id desc limit ${limit})`
  return await sql<AccountRow[]>`
    select ${columns(sql)} from accounts where id in (
      ${part(sql`id = ${id}::bigint`)} union ${part(sql`lower(email) like ${beginning}`)} union ${part(sql`lower(name) like ${beginning}`)}
    )
    order by id desc limit ${limit}`
}

/** Every account, oldest first. */
export async function listAccounts(sql: Runner): Promise<AccountRow[]> {
  return await sql<AccountRow[]>`select ${columns(sql)} from accounts order by id`
}

/**
 * A purchase: the ledger's row, the balance, and the tier `paid` from then on. No row back, and nothing changed: no such
 * account, or its balance would be more than a number holds exactly.
 */
export async function insertPurchase(
  sql: Runner,
  id: number,
  amount: number,
  reference: string | null,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    with account as (
      update accounts set balance = balance + ${amount}, tier = 'paid'
      where id = ${id} and balance <= ${Number.MAX_SAFE_INTEGER} - ${amount}::bigint
      returning *
    ), purchase as (
      insert into ledger (account_id, kind, amount, reference) select id, 'purchase', ${amount}, ${reference} from account
    )
    select ${columns(sql)} from account`
  return row
}

/**
 * A correction of either sign: the ledger's row and the balance. No row back, and nothing changed: no such account, or
 * its balance would be more than a number holds exactly.
 */
export async function insertAdjustment(
  sql: Runner,
  id: number,
  amount: number,
  reason: string,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    with account as (
      update accounts set balance = balance + ${amount}
      where id = ${id} and abs(balance + ${amount}::bigint) <= ${Number.MAX_SAFE_INTEGER}::bigint
      returning *
    ), adjustment as (
      insert into ledger (account_id, kind, amount, reference) select id, 'adjustment', ${amount}, ${reason} from account
    )
    select ${columns(sql)} from account`
  return row
}

/** Locks an account's row until the transaction ends; `false` when there is none. */
export async function lockAccount(tx: Runner, id: number): Promise<boolean> {
  const rows = await tx`select from accounts where id = ${id} for no key update`
  return rows.length > 0
}

/** Renames an account; no row comes back when there is none. */
export async function updateName(sql: Runner, id: number, name: string): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update accounts set name = ${name} where id = ${id} returning ${columns(sql)}`
  return row
}

/** Suspends an account, or lets it go on. No row back: no such account. */
export async function updateSuspended(sql: Runner, id: number, suspended: boolean): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update accounts set suspended = ${suspended} where id = ${id} returning ${columns(sql)}`
  return row
}

/** Sets the weight of an account. No row back: no such account. */
export async function updateWeight(sql: Runner, id: number, weight: number): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update accounts set weight = ${weight} where id = ${id} returning ${columns(sql)}`
  return row
}

export async function updateWebhookUrl(sql: Runner, id: number, url: string | null): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update accounts set webhook_url = ${url} where id = ${id} returning ${columns(sql)}`
  return row
}

/** Gives an account live limits of its own. `undefined` leaves a limit as it is, `null` returns to the tier's. */
export async function updateLimits(
  sql: Runner,
  id: number,
  limits: {
    requestsPerMinute?: number | null | undefined
    concurrentRequests?: number | null | undefined
    maxSourceBytes?: number | null | undefined
  },
): Promise<AccountRow | undefined> {
  const kept = (value: number | null | undefined, column: string) =>
    value === undefined ? sql`${sql(column)}` : sql`${value}`
  const [row] = await sql<AccountRow[]>`
    update accounts set
      requests_per_minute = ${kept(limits.requestsPerMinute, 'requests_per_minute')},
      concurrent_requests = ${kept(limits.concurrentRequests, 'concurrent_requests')},
      max_source_bytes = ${kept(limits.maxSourceBytes, 'max_source_bytes')}
    where id = ${id} returning ${columns(sql)}`
  return row
}

/** Tells whether any account exists: the first start makes one. */
export async function hasAccounts(sql: Runner): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from accounts) as found`
  return row?.found === true
}
