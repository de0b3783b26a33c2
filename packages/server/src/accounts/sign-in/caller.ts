import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import { findAccount } from '../../db/accounts/accounts.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Caller, RateLimitState } from '../authenticate.ts'
import { callerOfAccount } from '../authenticate.ts'

export async function callerOf(
  sql: Sql,
  { accountId, livemode, onlyLivemode = null }: { accountId: number; livemode: boolean; onlyLivemode?: boolean | null },
): Promise<Caller | undefined> {
  const row = await findAccount(sql, accountId)
  if (row === undefined) return undefined
  return { ...callerOfAccount(row, livemode), restricted: undefined, onlyKeyId: null, onlyLivemode, pace: CONSOLE_PACE }
}

const CONSOLE_PACE: RateLimitState = {
  limit: CONSOLE_LIMITS.callsPerMinute,
  remaining: CONSOLE_LIMITS.callsPerMinute,
  resetSeconds: 60,
  enteredAt: undefined,
}
