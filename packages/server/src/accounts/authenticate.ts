import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { Limits, Tier } from '@mediamill/contract/domain/limits'
import { LIVE_LIMITS, limitsOf, TEST_LIMITS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { findKey, noteKeyUse } from '../db/accounts/keys.ts'
import type { EnteredCall, IncomingCall } from '../db/calls.ts'
import { enterCalls } from '../db/calls.ts'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { RequestRow } from '../db/requests.ts'
import { hashKey, isKey } from './key.ts'
import type { RequestScope, RestrictedKey } from './restrictions.ts'
import { isInScope, scopeOf } from './restrictions.ts'

type Account = {
  id: AccountId
  name: string
  email: string
  tier: Tier
  balance: MicroUsd
  webhookUrl: string | null
  suspended: boolean
  createdAt: Date
}

export type Caller = RequestScope & {
  account: Account
  livemode: boolean
  restricted: RestrictedKey | undefined
  limits: Limits
  testAcceptedToday: number
  held: MicroUsd
  /** The credit minus the amounts on hold for open requests. It can be negative. */
  available: MicroUsd
  pace: RateLimitState
  wanted: RequestRow | undefined
}

export type RateLimitState = { limit: number; remaining: number; resetSeconds: number; entered: boolean }

const PER_MINUTE = {
  test: TEST_LIMITS.requestsPerMinute,
  free: LIVE_LIMITS.free.requestsPerMinute,
  paid: LIVE_LIMITS.paid.requestsPerMinute,
}

const enter = batch(async (sql, calls: readonly IncomingCall[]) => await enterCalls(sql, calls, PER_MINUTE))

/**
 * Returns the caller with this key, or `undefined` for an invalid key. Counts the call. Also reads the request
 * `wanted`.
 */
export async function authenticate(sql: Sql, key: string, wanted?: RequestId): Promise<Caller | undefined> {
  if (!isKey(key)) return undefined
  const hash = hashKey(key)
  const entered = await enter(sql, { hash, requestId: wanted ?? null })
  if (entered === undefined) return undefined
  // Records the day on which the key was used, without waiting. If that fails, the next call records it.
  if (!entered.caller.usedToday && entered.pace.entered) void noteKeyUse(sql, hash).catch(() => undefined)
  return toCaller(entered)
}

/** Returns whether a key exists and is neither revoked nor expired. Does not count a call. */
export async function isValidKey(sql: Sql, key: string): Promise<boolean> {
  if (!isKey(key)) return false
  const found = await findKey(sql, Buffer.from(hashKey(key), 'hex'))
  const expiresAt = found?.restrictions?.expires_at
  return found?.revokedAt === null && (expiresAt === undefined || new Date(expiresAt) > new Date())
}

function toCaller({ caller, pace, request }: EnteredCall): Caller {
  const { callsPerMinute, callerKeyId, callerId: id, restrictions, keyLivemode: livemode } = caller
  const restricted = restrictions === null ? undefined : { id: callerKeyId, restrictions }
  const scope = scopeOf(restricted, livemode)
  const row = { ...caller, id, webhookUrl: caller.accountWebhookUrl, createdAt: caller.accountCreatedAt }
  return {
    ...callerOfAccount(row, livemode),
    restricted,
    ...scope,
    pace: {
      limit: callsPerMinute,
      remaining: pace.entered || caller.suspended ? Math.max(0, callsPerMinute - pace.used) : 0,
      resetSeconds: Math.max(1, Math.ceil((pace.freeInMs ?? 0) / 1000)),
      entered: pace.entered,
    },
    wanted: request !== undefined && isInScope(request, scope) ? request : undefined,
  }
}

type AccountFields = Omit<AccountRow, 'openLive' | 'openTest' | 'weight'>

export function callerOfAccount(row: AccountFields, livemode: boolean) {
  const { name, email, tier, webhookUrl, suspended, createdAt, testAcceptedToday } = row
  const balance = microUsd(row.balance)
  return {
    account: { id: row.id as AccountId, name, email, tier, balance, webhookUrl, suspended, createdAt },
    livemode,
    limits: limitsOf({ livemode, tier, own: row }),
    testAcceptedToday,
    held: microUsd(row.held),
    available: microUsd(row.balance - row.held),
  }
}

export function accountSuspended(): ApiError {
  return new ApiError('account_suspended', 'This account is suspended. Ask the operator of this service to resume it.')
}
