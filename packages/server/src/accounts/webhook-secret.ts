import { randomBytes } from 'node:crypto'
import { lockAccount } from '../db/accounts/accounts.ts'
import { insertWebhookSecret, listWebhookSecrets, retireWebhookSecrets } from '../db/accounts/webhook-secrets.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'
import { accountContext, seal, unseal } from './seal.ts'

/** How long a replaced webhook secret still signs deliveries, in addition to the new secret (webhooks.signature.4). */
export const OVERLAP_MS = 24 * 3_600_000

/** A decrypted webhook secret. `expiresAt` is `null` for the current secret. */
export type WebhookSecret = { secret: string; createdAt: Date; expiresAt: Date | null }

/** Creates a webhook secret: `whsec_` and 256 random bits in base64 (webhooks.signature.2). */
export async function addWebhookSecret(sql: Runner, secretKey: string, accountId: number): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await insertWebhookSecret(sql, accountId, seal(secretKey, accountContext(accountId), secret))
  return secret
}

export async function rollWebhookSecret(
  sql: Runner,
  secretKey: string,
  accountId: number,
  overlapMs: number,
): Promise<string | undefined> {
  return await transact(sql, async (tx) => {
    if (!(await lockAccount(tx, accountId))) return undefined
    await retireWebhookSecrets(tx, accountId, overlapMs)
    return await addWebhookSecret(tx, secretKey, accountId)
  })
}

export async function readWebhookSecrets(sql: Runner, secretKey: string, accountId: number): Promise<WebhookSecret[]> {
  const rows = await listWebhookSecrets(sql, accountId)
  return rows.map(({ sealed, createdAt, expiresAt }) => ({
    secret: openWebhookSecret(secretKey, accountId, sealed),
    createdAt,
    expiresAt,
  }))
}

export function openWebhookSecret(secretKey: string, accountId: number, sealed: Buffer): string {
  return unseal(secretKey, accountContext(accountId), sealed)
}
