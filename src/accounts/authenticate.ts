import { type CallerRow, enterCall } from '../db/calls.ts'
import type { Sql } from '../db/connect.ts'
import type { AccountId } from '../domain/ids.ts'
import { LIVE_LIMITS, type Limits, limitsOf, TEST_LIMITS } from '../domain/limits.ts'
import { type MicroUsd, microUsd } from '../domain/money.ts'
import type { Account } from './account.ts'
import { hashKey, isKey } from './key.ts'

/** Who calls: an account, with the key it used. */
export type Caller = {
  account: Account
  livemode: boolean
  /** The limits of this key. */
  limits: Limits
  /** Requests of this mode that are queued or processing, as of this call. */
  open: number
  testAcceptedToday: number
  /** Credit that no open request holds. */
  credit: MicroUsd
  pace: Pace
}

/** Where the caller stands in its minute. */
export type Pace = { limit: number; remaining: number; resetSeconds: number; entered: boolean }

const PER_MINUTE = {
  test: TEST_LIMITS.requestsPerMinute,
  free: LIVE_LIMITS.free.requestsPerMinute,
  paid: LIVE_LIMITS.paid.requestsPerMinute,
}

/** Finds the caller behind a key and counts the call, in one round trip; `undefined` for a key that is not valid. */
export async function authenticate(sql: Sql, key: string): Promise<Caller | undefined> {
  if (!isKey(key)) return undefined
  const row = await enterCall(sql, hashKey(key), PER_MINUTE)
  return row === undefined ? undefined : toCaller(row)
}

function toCaller(row: CallerRow): Caller {
  return {
    account: {
      id: row.accountId as AccountId,
      name: row.name,
      email: row.email,
      tier: row.tier,
      balance: microUsd(row.balance),
      webhookUrl: row.webhookUrl,
      suspended: row.suspended,
      createdAt: row.createdAt,
    },
    livemode: row.livemode,
    limits: limitsOf({ livemode: row.livemode, tier: row.tier, own: row }),
    open: row.open,
    testAcceptedToday: row.testAcceptedToday,
    credit: microUsd(row.balance - row.held),
    pace: {
      limit: row.callsPerMinute,
      remaining: row.entered || row.suspended ? row.callsPerMinute - (row.used ?? 0) : 0,
      resetSeconds: Math.max(1, Math.ceil((row.freeInMs ?? 0) / 1000)),
      entered: row.entered,
    },
  }
}
