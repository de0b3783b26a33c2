import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, parseDollars } from '@mediamill/contract/domain/money'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import { keyRestricted } from '../accounts/restrictions.ts'
import { addSpending, raiseSpending } from '../db/accounts/keys.ts'
import type { Runner } from '../db/connection/connect.ts'

/** The daily spending limit of a restricted key (auth.restricted.6). */
export type Spending = { keyId: number; limit: MicroUsd; isCreateOnly: boolean }

export function spendingOf(key: RestrictedKey | undefined, hold: MicroUsd): Spending | undefined {
  const limit = parseDollars(key?.restrictions.daily_spend ?? '')
  if (key === undefined || limit === undefined || hold === 0) return undefined
  return { keyId: key.id, limit, isCreateOnly: key.restrictions.create_only === true }
}

/** Counts `hold` toward the daily limit. Throws `key_restricted` above the limit; the transaction must roll back. */
export async function spend(tx: Runner, spending: Spending, hold: number): Promise<void> {
  checkSpending(await addSpending(tx, spending.keyId, hold), spending, hold)
}

export async function spendMore(tx: Runner, spending: Spending, requestId: number, raise: number): Promise<void> {
  checkSpending(await raiseSpending(tx, requestId, raise), spending, raise)
}

function checkSpending(sum: number, { limit, isCreateOnly }: Spending, hold: number): void {
  if (sum <= limit) return
  // The visitors of a web page can share a create_only key. They must not learn the spend of other visitors.
  if (isCreateOnly)
    throw keyRestricted(
      'This request costs more than the rest of the daily spending limit of this key. The next day begins at midnight UTC.',
    )
  const spent = microUsd(sum - hold)
  throw keyRestricted(
    `This key can spend ${formatDollars(limit)} a day and has spent or reserved ${formatDollars(spent)}; this request costs at least ${formatDollars(microUsd(hold))}. The next day begins at midnight UTC.`,
  )
}
