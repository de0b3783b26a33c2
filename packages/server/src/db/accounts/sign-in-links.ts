import type { Runner } from '../connection/connect.ts'

/** What a link signs in to. An account, the operator's pages, or an account that it opens. */
export type LinkKind = 'account' | 'operator' | 'sign_up'

export type LinkRow = {
  kind: LinkKind
  accountId: number | null
  /** Of `sign_up` the name of the account, otherwise of the session. */
  name: string | null
  email: string | null
}

/** Keeps the hash of a new link. Forgets those that are over for a day. */
export async function insertLink(
  sql: Runner,
  link: LinkRow & { hash: Buffer; lifeMs: number; mailbox: string | null },
): Promise<Date> {
  const { hash, kind, accountId, name, email, mailbox, lifeMs } = link
  const [row] = await sql<{ expiresAt: Date }[]>`
    with over as (
      delete from sign_in_links where expires_at < now() - interval '1 day'
    )
    insert into sign_in_links (hash, kind, account_id, name, email, mailbox, expires_at)
    values (${hash}, ${kind}, ${accountId}, ${name}, ${email}, ${mailbox}, now() + ${lifeMs} * interval '1 millisecond')
    returning expires_at as "expiresAt"`
  if (row === undefined) throw new Error('an inserted link came back without its row')
  return row.expiresAt
}

/** The link of a token. No row: it was used, it is over, or there is none. */
export async function findLink(sql: Runner, hash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select kind, account_id as "accountId", name, email from sign_in_links
    where hash = ${hash} and used_at is null and expires_at > now()`
  return row
}

/** Uses a link up. Of calls at once exactly one gets its row; no row: it was used, it is over, or there is none. */
export async function useLink(sql: Runner, hash: Buffer): Promise<LinkRow | undefined> {
  // wall: a sign-in link that is used twice
  const [row] = await sql<LinkRow[]>`
    update sign_in_links set used_at = now()
    where hash = ${hash} and used_at is null and expires_at > now()
    returning kind, account_id as "accountId", name, email`
  return row
}

/** Counts the links of a kind that were mailed to a mailbox within a time. */
export async function countMailed(
  sql: Runner,
  { kind, mailbox, withinMs }: { kind: LinkKind; mailbox: string; withinMs: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from sign_in_links
    where mailbox collate "C" = ${mailbox} and kind = ${kind}
      and created_at > now() - ${withinMs} * interval '1 millisecond'`
  return row?.count ?? 0
}
