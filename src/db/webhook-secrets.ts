import type { Runner } from './connect.ts'

/** Adds a secret, sealed with SECRET_KEY, that an account's deliveries are signed with. */
export async function insertWebhookSecret(sql: Runner, accountId: number, sealed: Buffer): Promise<void> {
  await sql`insert into webhook_secrets (account_id, sealed) values (${accountId}, ${sealed})`
}

/** The sealed secrets that sign now, the newest first: two for a day after a roll. */
export async function findWebhookSecrets(sql: Runner, accountId: number): Promise<Buffer[]> {
  const rows = await sql<{ sealed: Buffer }[]>`
    select sealed from webhook_secrets
    where account_id = ${accountId} and (expires_at is null or expires_at > now())
    order by id desc`
  return rows.map((row) => row.sealed)
}
