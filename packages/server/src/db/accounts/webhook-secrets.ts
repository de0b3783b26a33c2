import type { Runner } from '../connection/connect.ts'

/** A secret that signs now: sealed with SECRET_KEY, and until when, if it was rolled. */
export type WebhookSecretRow = { id: number; sealed: Buffer; createdAt: Date; expiresAt: Date | null }

/** Adds a secret, sealed with SECRET_KEY, that an account's deliveries are signed with. */
export async function insertWebhookSecret(sql: Runner, accountId: number, sealed: Buffer): Promise<void> {
  await sql`insert into webhook_secrets (account_id, sealed) values (${accountId}, ${sealed})`
}

/**
 * Lets an account's present secret sign for `overlapMs` more. One that was rolled before stops now: there are never
 * more than two.
 */
export async function retireWebhookSecrets(tx: Runner, accountId: number, overlapMs: number): Promise<void> {
  await tx`
    update webhook_secrets set
      expires_at = now() + case when expires_at is null then ${overlapMs}::double precision else 0 end * interval '1 millisecond'
    where account_id = ${accountId} and (expires_at is null or expires_at > now())`
}

/** The secrets that sign now, the newest first: two for a day after a roll. */
export async function listWebhookSecrets(sql: Runner, accountId: number): Promise<WebhookSecretRow[]> {
  return await sql<WebhookSecretRow[]>`
    select id, sealed, created_at as "createdAt", expires_at as "expiresAt" from webhook_secrets
    where account_id = ${accountId} and (expires_at is null or expires_at > now())
    order by id desc`
}
