import type { RequestId } from '@mediamill/contract/domain/ids'
import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import { findAccount } from '../../db/accounts/accounts.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { findRequest } from '../../db/requests.ts'
import type { Caller, RateLimitState } from '../authenticate.ts'
import { callerOfAccount } from '../authenticate.ts'

export async function callerOf(
  sql: Sql,
  {
    accountId,
    livemode,
    onlyLivemode = null,
    wanted,
  }: { accountId: number; livemode: boolean; onlyLivemode?: boolean | null; wanted?: RequestId | undefined },
): Promise<Caller | undefined> {
  const row = await findAccount(sql, accountId)
  if (row === undefined) return undefined
  const request = wanted === undefined ? undefined : await findRequest(sql, accountId, wanted)
  const isSeen = onlyLivemode === null || request?.livemode === onlyLivemode
  const unlimited = { restricted: undefined, onlyKeyId: null, onlyLivemode, pace: CONSOLE_PACE }
  return { ...callerOfAccount(row, livemode), ...unlimited, wanted: isSeen ? request : undefined }
}

const CONSOLE_PACE: RateLimitState = {
  limit: CONSOLE_LIMITS.callsPerMinute,
  remaining: CONSOLE_LIMITS.callsPerMinute,
  resetSeconds: 60,
  enteredAt: undefined,
}
