import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import { accountsWithEmail, hasMailbox, insertAccount, insertPurchase, lockMailbox } from '../db/accounts/accounts.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'
import { createKey } from './create-key.ts'
import type { Mode } from './key.ts'
import { addWebhookSecret } from './webhook-secret.ts'

/** The credit that a new account gets without payment (billing.ledger.2). */
const NEW_ACCOUNT_GRANT = microUsd(1_000_000)

export type NewAccount = { id: number; liveKey: string; testKey: string; webhookSecret: string }

/**
 * Creates an account with its keys. With `isSignUp`, throws `conflict` if the email address has an account, and gives
 * the credit once per mailbox.
 */
export async function createAccount(
  sql: Runner,
  secretKey: string,
  account: { name: string; email: string; credit?: MicroUsd | undefined; isSignUp?: boolean },
): Promise<NewAccount> {
  return await transact(sql, async (tx) => {
    const { name, email, isSignUp = false } = account
    const address = readEmailAddress(email)
    if (address !== undefined) await lockMailbox(tx, address.mailbox)
    if (isSignUp && (await accountsWithEmail(tx, email)).length > 0) throw emailAddressInUse()
    const hadCredit = isSignUp && address !== undefined && (await hasMailbox(tx, address.mailbox))
    const grant = hadCredit ? microUsd(0) : NEW_ACCOUNT_GRANT
    const { id } = await insertAccount(tx, { name, email, emailKey: address?.key ?? null, grant })
    const newKey = async (mode: Mode) => {
      const made = await createKey(tx, id, { name: `first ${mode} key`, mode })
      if (made === undefined) throw new Error('an account was deleted while it was created')
      return made.key
    }
    const liveKey = await newKey('live')
    const testKey = await newKey('test')
    const webhookSecret = await addWebhookSecret(tx, secretKey, id)
    if (account.credit !== undefined) await insertPurchase(tx, id, account.credit, 'first credit')
    return { id, liveKey, testKey, webhookSecret }
  })
}

function emailAddressInUse(): ApiError {
  return new ApiError(
    'conflict',
    'An account with this email address was created after the link was sent. Sign in to that account instead.',
  )
}
