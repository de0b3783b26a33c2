import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, parseDollars } from '@mediamill/contract/domain/money'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import { keyRestricted } from '../accounts/restrictions.ts'
import { lockSpending } from '../db/accounts/keys.ts'
import type { Runner } from '../db/connection/connect.ts'

/** The daily limit of a restricted key (auth.restricted.6). */
export type Spending = { keyId: number; limit: MicroUsd }

/** Returns the daily limit of a key, or `undefined` if it has none or the request is free. */
export function spendingOf(key: RestrictedKey | undefined, hold: MicroUsd): Spending | undefined {
  const limit = parseDollars(key?.restrictions.daily_spend ?? '')
  return key === undefined || limit === undefined || hold === 0 ? undefined : { keyId: key.id, limit }
}

/**
 * Throws `key_restricted` if a hold would exceed the daily limit. Until the end of the transaction, other transactions that
 * check the same key wait.
 */
export async function checkSpending(tx: Runner, { keyId, limit }: Spending, hold: number): Promise<void> {
  const spent = microUsd(await lockSpending(tx, keyId))
  if (spent + hold <= limit) return
  throw keyRestricted(
    `This key can spend ${formatDollars(limit)} a day and has spent or reserved ${formatDollars(spent)}; this request costs at least ${formatDollars(microUsd(hold))}. The next day begins at midnight UTC.`,
  )
}
