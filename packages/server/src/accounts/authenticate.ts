import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Limits, Tier } from '@mediamill/contract/domain/limits'
import { LIVE_LIMITS, limitsOf, TEST_LIMITS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { findKey, noteKeyUse } from '../db/accounts/keys.ts'
import type { CountedCall, EnteredCall } from '../db/calls.ts'
import { enterCalls, uncountCalls } from '../db/calls.ts'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { hashKey, isKey } from './key.ts'
import type { RequestScope, RestrictedKey } from './restrictions.ts'
import { scopeOf } from './restrictions.ts'

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
}

/** `enteredAt`: the time at which the call was counted. It is `undefined` if the call does not count. */
export type RateLimitState = { limit: number; remaining: number; resetSeconds: number; enteredAt: number | undefined }

const PER_MINUTE = {
  test: TEST_LIMITS.requestsPerMinute,
  free: LIVE_LIMITS.free.requestsPerMinute,
  paid: LIVE_LIMITS.paid.requestsPerMinute,
}

const enter = batch(async (sql, hashes: readonly string[]) => await enterCalls(sql, hashes, PER_MINUTE))

/** Returns the caller with this key, or `undefined` for an invalid key. Counts the call. */
export async function authenticate(sql: Sql, key: string): Promise<Caller | undefined> {
  if (!isKey(key)) return undefined
  const hash = hashKey(key)
  const entered = await enter(sql, hash)
  if (entered === undefined) return undefined
  // Records the day on which the key was used, without waiting. If that fails, the next call records it.
  if (!entered.caller.usedToday && entered.pace.entered) void noteKeyUse(sql, hash).catch(() => undefined)
  return toCaller(entered)
}

const uncountTogether = batch(async (sql, calls: readonly CountedCall[]) => await uncountCalls(sql, calls))

/** Removes a call from the rate limit of its key, if the call was counted. Returns the new state (limits.rate.1). */
export async function uncount(
  sql: Sql,
  { account, livemode, pace }: Pick<Caller, 'account' | 'livemode' | 'pace'>,
): Promise<RateLimitState> {
  const { limit, enteredAt } = pace
  if (enteredAt === undefined) return pace
  const state = await uncountTogether(sql, { accountId: account.id, livemode, enteredAt })
  return { ...paceOf(limit, state ?? { used: 0, freeInMs: null }), enteredAt: undefined }
}

const paceOf = (limit: number, { used, freeInMs }: { used: number; freeInMs: number | null }) => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.max(1, Math.ceil((freeInMs ?? 0) / 1000)),
})

/** Returns whether a key exists and is neither revoked nor expired. Does not count a call. */
export async function isValidKey(sql: Sql, key: string): Promise<boolean> {
  if (!isKey(key)) return false
  const found = await findKey(sql, Buffer.from(hashKey(key), 'hex'))
  const expiresAt = found?.restrictions?.expires_at
  return found?.revokedAt === null && (expiresAt === undefined || new Date(expiresAt) > new Date())
}

function toCaller({ caller, pace }: EnteredCall): Caller {
  const { callsPerMinute, callerKeyId, callerId: id, restrictions, keyLivemode: livemode } = caller
  const restricted = restrictions === null ? undefined : { id: callerKeyId, restrictions }
  const row = { ...caller, id, webhookUrl: caller.accountWebhookUrl, createdAt: caller.accountCreatedAt }
  return {
    ...callerOfAccount(row, livemode),
    restricted,
    ...scopeOf(restricted, livemode),
    pace: {
      ...paceOf(callsPerMinute, pace),
      ...(!pace.entered && !caller.suspended && { remaining: 0 }),
      enteredAt: pace.entered ? pace.enteredAt : undefined,
    },
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
