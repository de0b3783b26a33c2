import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, parseDollars } from '@mediamill/contract/domain/money'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import { keyRestricted } from '../accounts/restrictions.ts'
import { addSpending, raiseSpending } from '../db/accounts/keys.ts'
import type { Runner } from '../db/connection/connect.ts'

/** The daily spending limit of a restricted key (auth.restricted.6). */
export type Spending = { keyId: number; limit: MicroUsd }

export function spendingOf(key: RestrictedKey | undefined, hold: MicroUsd): Spending | undefined {
  const limit = parseDollars(key?.restrictions.daily_spend ?? '')
  return key === undefined || limit === undefined || hold === 0 ? undefined : { keyId: key.id, limit }
}

/** Adds held credit to a key's daily spend. Throws `key_restricted` above the limit; the transaction must roll back. */
export async function spend(tx: Runner, { keyId, limit }: Spending, hold: number): Promise<void> {
  checkSpending(await addSpending(tx, keyId, hold), limit, hold)
}

/** Adds the increase of a request's held credit to the key's daily spend. Throws like `spend`. */
export async function spendMore(tx: Runner, { limit }: Spending, requestId: number, raise: number): Promise<void> {
  checkSpending(await raiseSpending(tx, requestId, raise), limit, raise)
}

function checkSpending(sum: number, limit: MicroUsd, hold: number): void {
  if (sum <= limit) return
  const spent = microUsd(sum - hold)
  throw keyRestricted(
    `This key can spend ${formatDollars(limit)} a day and has spent or reserved ${formatDollars(spent)}; this request costs at least ${formatDollars(microUsd(hold))}. The next day begins at midnight UTC.`,
  )
}
