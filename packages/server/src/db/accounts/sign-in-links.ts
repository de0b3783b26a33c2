import type { Runner } from '../connection/connect.ts'

export type LinkKind = 'account' | 'operator' | 'sign_up'

export type LinkRow = {
  kind: LinkKind
  accountId: number | null
  /** The name of the account that a `sign_up` link creates. For other links: the name of the session. */
  name: string | null
  email: string | null
}

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
  if (row === undefined) throw new Error('the insert of the link returned no row')
  return row.expiresAt
}

export async function findLink(sql: Runner, hash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select kind, account_id as "accountId", name, email from sign_in_links
    where hash = ${hash} and used_at is null and expires_at > now()`
  return row
}

/** Marks a link as used, and returns it. If several calls race, exactly one gets the link. */
export async function useLink(sql: Runner, hash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    update sign_in_links set used_at = now()
    where hash = ${hash} and used_at is null and expires_at > now()
    returning kind, account_id as "accountId", name, email`
  return row
}

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
