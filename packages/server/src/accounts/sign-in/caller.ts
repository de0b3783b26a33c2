import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { CONSOLE_LIMITS, limitsOf } from '@mediamill/contract/domain/limits'
import { microUsd } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../../db/accounts/accounts.ts'
import { findAccount } from '../../db/accounts/accounts.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { findRequest } from '../../db/requests.ts'
import type { Caller } from '../authenticate.ts'

/** Returns the caller of a console session: an account and a mode, with the console's rate limit. */
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
  const unrestricted = { restricted: undefined, onlyKeyId: null }
  return { ...toCaller(row, livemode), ...unrestricted, onlyLivemode, wanted: isSeen ? request : undefined }
}

function toCaller(
  row: AccountRow,
  livemode: boolean,
): Omit<Caller, 'wanted' | 'onlyLivemode' | 'onlyKeyId' | 'restricted'> {
  return {
    account: {
      id: row.id as AccountId,
      name: row.name,
      email: row.email,
      tier: row.tier,
      balance: microUsd(row.balance),
      webhookUrl: row.webhookUrl,
      suspended: row.suspended,
      createdAt: row.createdAt,
    },
    livemode,
    limits: limitsOf({ livemode, tier: row.tier, own: row }),
    testAcceptedToday: row.testAcceptedToday,
    held: microUsd(row.held),
    available: microUsd(row.balance - row.held),
    pace: {
      limit: CONSOLE_LIMITS.callsPerMinute,
      remaining: CONSOLE_LIMITS.callsPerMinute,
      resetSeconds: 60,
      entered: true,
    },
  }
}
