import { randomBytes } from 'node:crypto'
import { lockAccount } from '../db/accounts/accounts.ts'
import { insertWebhookSecret, listWebhookSecrets, retireWebhookSecrets } from '../db/accounts/webhook-secrets.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'
import { seal, unseal } from './seal.ts'

/** How long the old secret signs beside the new one after a roll (rulings 10). */
export const OVERLAP_MS = 24 * 3_600_000

/** A secret in the clear; `expiresAt` is `null` for the one in force. */
export type WebhookSecret = { secret: string; createdAt: Date; expiresAt: Date | null }

/**
 * Makes a secret for an account's deliveries. It is `whsec_` and a Standard Webhooks key of 256 bits in base64 (rulings
 * 10).
 */
export async function addWebhookSecret(sql: Runner, secretKey: string, accountId: number): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await insertWebhookSecret(sql, accountId, seal(secretKey, contextOf(accountId), secret))
  return secret
}

/** Gives an account a new secret; the old one signs beside it for `overlapMs`. `undefined`: no such account. */
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

/** The secrets that sign an account's deliveries now, the newest first. */
export async function readWebhookSecrets(sql: Runner, secretKey: string, accountId: number): Promise<WebhookSecret[]> {
  const rows = await listWebhookSecrets(sql, accountId)
  return rows.map(({ sealed, createdAt, expiresAt }) => ({
    secret: openWebhookSecret(secretKey, accountId, sealed),
    createdAt,
    expiresAt,
  }))
}

/** The secret that a row holds; throws when it was sealed with another SECRET_KEY. */
export function openWebhookSecret(secretKey: string, accountId: number, sealed: Buffer): string {
  return unseal(secretKey, contextOf(accountId), sealed)
}

const contextOf = (accountId: number) => `account ${accountId}`
