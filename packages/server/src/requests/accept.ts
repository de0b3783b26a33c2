import { ApiError } from '@mediamill/contract/domain/errors'
import type { Limits } from '@mediamill/contract/domain/limits'
import { TEST_REQUESTS_PER_DAY } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, NO_MONEY } from '@mediamill/contract/domain/money'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { pricesOf, unitsOf } from '@mediamill/contract/endpoints/endpoint'
import { accountSuspended } from '../accounts/authenticate.ts'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import type { AcceptedRow } from '../db/accept-request.ts'
import { insertRequests } from '../db/accept-request.ts'
import { findAccount } from '../db/accounts/accounts.ts'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { isDatabaseError } from '../db/connection/errors.ts'
import { holdsKey } from '../db/idempotency.ts'
import type { RequestRow } from '../db/requests.ts'
import type { FormFile } from '../db/uploads/form-files.ts'
import { isEveryFileKept } from '../db/uploads/form-files.ts'
import { holdUploads } from '../db/uploads/uploads.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { NOT_FOUND } from '../uploads/stored-source.ts'
import type { Spending } from './daily-spend.ts'
import { spend, spendingOf } from './daily-spend.ts'
import { keyInUse } from './idempotency.ts'
import { pairsOf } from './metadata-pairs.ts'
import { toRequest } from './record.ts'

export type Acceptable = {
  accountId: number
  livemode: boolean
  limits: Limits
  endpoint: Endpoint
  source: string
  webhookUrl: string | null
  input: Record<string, unknown>
  customer: string | null
  metadata: Record<string, string> | null
  destination?: AcceptedRow['destination']
  idempotency: { key: string; holder: string } | null
  trace: TraceHeaders | null
  callId?: string
  uploads?: readonly { id: string; param: string }[]
  files?: readonly FormFile[]
  restricted?: RestrictedKey | undefined
}

const insertTogether = batch((sql: Sql, rows: readonly AcceptedRow[]) =>
  repeatIfDeadlocked(() => insertRequests(sql, rows)),
)

const DEADLOCK_DETECTED = '40P01'

const MAX_TRIES = 5

/**
 * Creates a request and holds its price, in one transaction. Requests of concurrent calls are inserted in batches. If a
 * batch rejects a request, inserts the request alone, and throws the error of the check that failed.
 */
export async function accept(sql: Sql, call: Acceptable): Promise<MediaRequest> {
  const { minimum } = pricesOf(call.endpoint.price, unitsOf(call.endpoint, call.input))
  const hold = call.livemode ? minimum : NO_MONEY
  const row = {
    ...call,
    endpoint: call.endpoint.name,
    lane: call.endpoint.lane,
    pairs: pairsOf(call.metadata ?? {}),
    destination: call.destination ?? null,
    callId: call.callId ?? null,
    keyId: call.restricted?.id ?? null,
    unitPrice: call.endpoint.price,
    hold,
    concurrentRequests: call.limits.concurrentRequests,
    testRequestsPerDay: TEST_REQUESTS_PER_DAY,
  }
  const uploads = call.uploads ?? []
  const spending = spendingOf(call.restricted, hold)
  if (uploads.length === 0 && spending === undefined) {
    const together = await insertTogether(sql, row)
    if (together !== undefined) return toRequest(together)
  }
  for (let tries = 1; ; tries += 1) {
    const alone = await repeatIfDeadlocked(() => insertAlone(sql, row, uploads, spending))
    if (alone !== undefined) return toRequest(alone)
    if (!(await isKeyHeld(sql, call))) throw keyInUse()
    await throwFailedCheck(sql, call, hold)
    if (call.files !== undefined && !(await isEveryFileKept(sql, call.files)))
      throw new Error('the lease of a form file expired before the request was accepted')
    // All checks pass now, because another request has completed since the failed insert.
    if (tries === MAX_TRIES) throw concurrencyLimited(call.limits.concurrentRequests)
  }
}

/** Returns whether the call still holds its idempotency key. After 30 s, another call can hold the key. */
const isKeyHeld = async (sql: Sql, { accountId, livemode, idempotency }: Acceptable) =>
  idempotency === null || (await holdsKey(sql, { accountId, livemode, key: idempotency.key }, idempotency.holder))

/** Repeats an insert after a deadlock. During an upgrade, processes of older versions can cause deadlocks. */
async function repeatIfDeadlocked<Result>(insert: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await insert()
    } catch (error) {
      if (tries === MAX_TRIES || !isDatabaseError(error, DEADLOCK_DETECTED)) throw error
    }
  }
}

async function insertAlone(
  sql: Sql,
  accepted: AcceptedRow,
  uploads: readonly { id: string; param: string }[],
  spending: Spending | undefined,
): Promise<RequestRow | undefined> {
  if (uploads.length === 0 && spending === undefined) return (await insertRequests(sql, [accepted]))[0]
  return await sql.begin(async (tx) => {
    const heldIds = new Set(await holdUploads(tx, accepted, [...new Set(uploads.map(({ id }) => id))]))
    const missing = uploads.filter(({ id }) => !heldIds.has(id))
    const [first] = missing
    if (first !== undefined) {
      const errors = missing.map(({ param }) => ({ param, ...NOT_FOUND, message: `${param}: ${NOT_FOUND.message}` }))
      throw new ApiError(NOT_FOUND.code, `${first.param}: ${NOT_FOUND.message}`, { param: first.param, errors })
    }
    const [row] = await insertRequests(tx, [accepted])
    if (row !== undefined && spending !== undefined) await spend(tx, spending, accepted.hold)
    return row
  })
}

async function throwFailedCheck(sql: Sql, call: Acceptable, hold: MicroUsd): Promise<void> {
  const account = await findAccount(sql, call.accountId)
  if (account === undefined || account.suspended) throw accountSuspended()
  if (!call.livemode && account.testAcceptedToday >= TEST_REQUESTS_PER_DAY) throw testModeDailyLimit()
  const credit = { held: microUsd(account.held), available: microUsd(account.balance - account.held) }
  if (hold > 0 && credit.available < hold) throw insufficientCredits(hold, credit, call.restricted)
  const open = call.livemode ? account.openLive : account.openTest
  if (open >= call.limits.concurrentRequests) throw concurrencyLimited(call.limits.concurrentRequests)
}

/** Returns the error for the daily limit of test requests. The limit resets at midnight UTC (limits.daily.1). */
export function testModeDailyLimit(): ApiError {
  const day = 86_400
  const retryAfterSeconds = day - (Math.floor(Date.now() / 1000) % day)
  return new ApiError(
    'test_mode_daily_limit',
    `Test keys may start ${TEST_REQUESTS_PER_DAY} requests a day; the next day begins at midnight UTC. Use a live key to continue.`,
    { retryAfterSeconds },
  )
}

/** Returns the error for too little credit. If the key is `create_only`, the message omits the amount of the credit. */
export function insufficientCredits(price: MicroUsd, { held, available }: Credit, key?: RestrictedKey): ApiError {
  const amounts = `${formatDollars(available)} of credit is available${held > 0 ? `, and open requests hold ${formatDollars(held)}` : ''}`
  const rest = key?.restrictions.create_only === true ? 'the account does not have enough credit' : amounts
  return new ApiError(
    'insufficient_credits',
    `This request costs at least ${formatDollars(price)}; ${rest}. Buy credit and try again. ${OPERATORS_ADD_CREDIT}`,
  )
}

type Credit = { held: MicroUsd; available: MicroUsd }

/** A hint for operators, who add credit with a command and do not buy it. */
export const OPERATORS_ADD_CREDIT =
  'If you run this service, the command mediamill account credit ACCOUNT 25.00 adds credit.'

export function concurrencyLimited(limit: number): ApiError {
  return new ApiError(
    'concurrency_limited',
    `At most ${limit} requests of this account may be queued or processing at once. Wait for one to finish.`,
    { retryAfterSeconds: 1 },
  )
}
