import { GMAIL_DOMAINS, readEmailAddress } from '@mediamill/contract/domain/email-address'
import type { Tier } from '@mediamill/contract/domain/limits'
import type { Runner } from '../connection/connect.ts'
import { testAcceptedToday } from '../today.ts'

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
  /** The account's share in the fair order of the queue. With weight 2, it is twice the share of weight 1. */
  weight: number
  suspended: boolean
  createdAt: Date
}

const columns = (sql: Runner) => sql`
  id, name, email, tier, balance, held, open_live as "openLive", open_test as "openTest",
  ${testAcceptedToday(sql)} as "testAcceptedToday",
  webhook_url as "webhookUrl", requests_per_minute as "requestsPerMinute", concurrent_requests as "concurrentRequests",
  max_source_bytes as "maxSourceBytes", weight, suspended, created_at as "createdAt"`

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
  if (row === undefined) throw new Error('the insert of the account returned no row')
  return row
}

export async function findAccount(sql: Runner, id: number): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`select ${columns(sql)} from accounts where id = ${id}`
  return row
}

/** Selects the key of an email address. In old rows without `email_key`, it is `email` in lower case (ASCII). */
const emailKey = (sql: Runner) => sql`
  coalesce(email_key, translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) collate "C"`

export async function accountsWithEmail(sql: Runner, email: string): Promise<number[]> {
  const key = readEmailAddress(email)?.key ?? email
  const rows = await sql<{ id: number }[]>`select id from accounts where ${emailKey(sql)} = ${key} order by id limit 10`
  return rows.map(({ id }) => id)
}

/** Returns whether the email address of any account belongs to `mailbox`, an address without a tag such as `+news`. */
export async function hasMailbox(sql: Runner, mailbox: string): Promise<boolean> {
  const at = mailbox.lastIndexOf('@')
  if (mailbox.slice(at + 1) === GMAIL_DOMAINS[0]) return await hasGmailMailbox(sql, mailbox.slice(0, at))
  const literal = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&')
  const tagged = `${literal(mailbox.slice(0, at))}+%${literal(mailbox.slice(at))}`
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from accounts where ${emailKey(sql)} = ${mailbox} or ${emailKey(sql)} like ${tagged}) as found`
  return row?.found === true
}

async function hasGmailMailbox(sql: Runner, name: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from (select ${emailKey(sql)} as key from accounts) as addresses
      where split_part(key, '@', 2) = any(${GMAIL_DOMAINS}) and replace(split_part(split_part(key, '@', 1), '+', 1), '.', '') = ${name}
    ) as found`
  return row?.found === true
}

/** Locks a mailbox, so that only one transaction at a time creates an account or sends an email for the mailbox. */
export async function lockMailbox(tx: Runner, mailbox: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${mailbox}, 7204665))`
}

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
  // Each column has its own index, so each column has its own subquery and limit.
  const part = (where: ReturnType<typeof sql>) =>
    sql`(select id from accounts where ${where} and id < ${before}::bigint order by id desc limit ${limit})`
  return await sql<AccountRow[]>`
    select ${columns(sql)} from accounts where id in (
      ${part(sql`id = ${id}::bigint`)} union ${part(sql`lower(email) like ${beginning}`)} union ${part(sql`lower(name) like ${beginning}`)}
    )
    order by id desc limit ${limit}`
}

export async function listAccounts(sql: Runner): Promise<AccountRow[]> {
  return await sql<AccountRow[]>`select ${columns(sql)} from accounts order by id`
}

/** Adds a purchase. Returns `undefined` if the account is unknown, or if its new balance would be too high. */
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

/** Adds or removes credit. Returns `undefined` for an unknown account, or a balance that is too high or too low. */
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

export async function lockAccount(tx: Runner, id: number): Promise<boolean> {
  const rows = await tx`select from accounts where id = ${id} for no key update`
  return rows.length > 0
}

/** A change of an account. Missing fields stay as they are. A limit of `null` restores the tier's limit. */
export type AccountChange = {
  name?: string | undefined
  suspended?: boolean | undefined
  weight?: number | undefined
  webhookUrl?: string | null | undefined
  limits?:
    | {
        requestsPerMinute?: number | null | undefined
        concurrentRequests?: number | null | undefined
        maxSourceBytes?: number | null | undefined
      }
    | undefined
}

export async function updateAccount(
  sql: Runner,
  id: number,
  { name, suspended, weight, webhookUrl, limits = {} }: AccountChange,
): Promise<AccountRow | undefined> {
  const set = (column: string, value: string | number | boolean | null | undefined) =>
    sql`${sql(column)} = ${value === undefined ? sql(column) : sql`${value}`}`
  const [row] = await sql<AccountRow[]>`
    update accounts set
      ${set('name', name)},
      ${set('suspended', suspended)},
      ${set('weight', weight)},
      ${set('webhook_url', webhookUrl)},
      ${set('requests_per_minute', limits.requestsPerMinute)},
      ${set('concurrent_requests', limits.concurrentRequests)},
      ${set('max_source_bytes', limits.maxSourceBytes)}
    where id = ${id} returning ${columns(sql)}`
  return row
}

export async function hasAccounts(sql: Runner): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from accounts) as found`
  return row?.found === true
}
