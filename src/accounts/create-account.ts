import { insertAccount, insertPurchase } from '../db/accounts/accounts.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'
import type { MicroUsd } from '../domain/money.ts'
import { microUsd } from '../domain/money.ts'
import { createKey } from './create-key.ts'
import type { Mode } from './key.ts'
import { addWebhookSecret } from './webhook-secret.ts'

/** Spec 8: what a new account starts with. */
export const NEW_ACCOUNT_GRANT = microUsd(1_000_000)

/** A new account's secrets: its keys are shown now, and never again. */
export type NewAccount = { id: number; liveKey: string; testKey: string; webhookSecret: string }

/**
 * Opens an account with its grant, two keys and a webhook secret. One key is live, one for tests; `credit` is a first
 * purchase.
 */
export async function createAccount(
  sql: Runner,
  secretKey: string,
  account: { name: string; email: string; credit?: MicroUsd | undefined },
): Promise<NewAccount> {
  return await transact(sql, async (tx) => {
    const { id } = await insertAccount(tx, { name: account.name, email: account.email, grant: NEW_ACCOUNT_GRANT })
    const newKey = async (mode: Mode) => {
      const made = await createKey(tx, id, { name: `first ${mode} key`, mode })
      if (made === undefined) throw new Error('an account vanished while it was made')
      return made.key
    }
    const liveKey = await newKey('live')
    const testKey = await newKey('test')
    const webhookSecret = await addWebhookSecret(tx, secretKey, id)
    if (account.credit !== undefined) await insertPurchase(tx, id, account.credit, 'first credit')
    return { id, liveKey, testKey, webhookSecret }
  })
}
