import type { Runner } from '../connection/connect.ts'
import type { Sealed } from '../sealed-values.ts'

type WebhookSecretRow = { id: number; sealed: Buffer; createdAt: Date; expiresAt: Date | null }

export async function insertWebhookSecret(sql: Runner, accountId: number, { value, sealedBy }: Sealed): Promise<void> {
  await sql`insert into webhook_secrets (account_id, sealed, sealed_by) values (${accountId}, ${value}, ${sealedBy})`
}

/** Expires the current secret after `overlapMs`, and older secrets now, so that only one old secret stays valid. */
export async function retireWebhookSecrets(tx: Runner, accountId: number, overlapMs: number): Promise<void> {
  await tx`
    update webhook_secrets set
      expires_at = now() + case when expires_at is null then ${overlapMs}::double precision else 0 end * interval '1 millisecond'
    where account_id = ${accountId} and (expires_at is null or expires_at > now())`
}

export async function listWebhookSecrets(sql: Runner, accountId: number): Promise<WebhookSecretRow[]> {
  return await sql<WebhookSecretRow[]>`
    select id, sealed, created_at as "createdAt", expires_at as "expiresAt" from webhook_secrets
    where account_id = ${accountId} and (expires_at is null or expires_at > now())
    order by id desc`
}
