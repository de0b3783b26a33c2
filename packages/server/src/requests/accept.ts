import { ApiError } from '@mediamill/contract/domain/errors'
import type { Limits } from '@mediamill/contract/domain/limits'
import { TEST_REQUESTS_PER_DAY } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, NO_MONEY } from '@mediamill/contract/domain/money'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import type { AcceptedRow } from '../db/accept-request.ts'
import { insertRequests } from '../db/accept-request.ts'
import { findAccount } from '../db/accounts/accounts.ts'
import type { Sql } from '../db/connection/connect.ts'
import { gather } from '../db/connection/gather.ts'
import type { RequestRow } from '../db/requests.ts'
import { holdUploads } from '../db/uploads/uploads.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { NOT_FOUND } from '../uploads/stored-source.ts'
import { pairsOf } from './metadata-pairs.ts'
import type { WorkersWaker } from './notices.ts'
import { toRequest } from './record.ts'

/** A call that passed every check that needs no lock. */
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
  /** Where the result is put as well, sealed; missing: nowhere. */
  destination?: Buffer | null
  idempotency: { key: string; holder: string } | null
  trace: TraceHeaders | null
  /** The uploads that the call names, each with the field that does; missing: none. */
  uploads?: readonly { id: string; param: string }[]
  /** Whether the call waits for the end; missing: it does not. */
  awaited?: boolean
  /** Who wakes the workers; missing: they find it by looking. */
  workers?: WorkersWaker
}

type Asked = { row: AcceptedRow; workers: WorkersWaker | undefined }

/** What became of each request, and whether its workers were told of it in the same statement. */
const insertTogether = gather(async (sql: Sql, asked: readonly Asked[]) => {
  const rows = asked.map(({ row }) => row)
  const told = asked[0]?.workers?.take([...new Set(rows.map(({ lane }) => lane))]) ?? []
  const written = await insertRequests(sql, rows, told)
  return written.map((row) => ({ row, isTold: told.length > 0 }))
})

/** Tries before a refusal that another call's end keeps making untrue is given up. */
const MAX_TRIES = 5

/**
 * Accepts a call in one transaction, which calls of the same moment share. It writes the request, its hold, its place
 * and its bond to the Idempotency-Key. When an account has not enough for all of its calls, each is judged alone.
 *
 * Throws the `ApiError` of the first check that fails, in the order of rulings 4; then nothing was written.
 */
export async function accept(sql: Sql, call: Acceptable): Promise<MediaRequest> {
  const hold = call.livemode ? call.endpoint.price : NO_MONEY
  const asked = {
    ...call,
    endpoint: call.endpoint.name,
    lane: call.endpoint.lane,
    pairs: pairsOf(call.metadata ?? {}),
    awaited: call.awaited ?? false,
    destination: call.destination ?? null,
    unitPrice: call.endpoint.price,
    hold,
    concurrentRequests: call.limits.concurrentRequests,
    testRequestsPerDay: TEST_REQUESTS_PER_DAY,
  }
  const uploads = call.uploads ?? []
  if (uploads.length === 0) {
    const together = await insertTogether(sql, { row: asked, workers: call.workers })
    if (together.row !== undefined) {
      if (!together.isTold) call.workers?.wake(call.endpoint.lane)
      return toRequest(together.row)
    }
  }
  for (let tries = 1; ; tries += 1) {
    const alone =
      uploads.length === 0 ? (await insertRequests(sql, [asked]))[0] : await insertWithUploads(sql, asked, uploads)
    if (alone !== undefined) {
      call.workers?.wake(call.endpoint.lane)
      return toRequest(alone)
    }
    await refuse(sql, call, hold)
    // Every check passes now: another request ended between the two statements.
    if (tries === MAX_TRIES) throw concurrencyLimited(call.limits.concurrentRequests)
  }
}

/** Inserts a request while nobody can delete the uploads that it uses: from its commit on it is what keeps them. */
async function insertWithUploads(
  sql: Sql,
  asked: AcceptedRow,
  uploads: readonly { id: string; param: string }[],
): Promise<RequestRow | undefined> {
  return await sql.begin(async (tx) => {
    const held = new Set(await holdUploads(tx, asked, [...new Set(uploads.map(({ id }) => id))]))
    const gone = uploads.filter(({ id }) => !held.has(id))
    const [first] = gone
    if (first !== undefined) {
      const errors = gone.map(({ param }) => ({ param, ...NOT_FOUND, message: `${param}: ${NOT_FOUND.message}` }))
      throw new ApiError(NOT_FOUND.code, `${first.param}: ${NOT_FOUND.message}`, { param: first.param, errors })
    }
    const [row] = await insertRequests(tx, [asked])
    return row
  })
}

/** Throws the error of the guard that refused in `insertRequests`. Returns when none refuses any more. */
async function refuse(sql: Sql, call: Acceptable, hold: MicroUsd): Promise<void> {
  const account = await findAccount(sql, call.accountId)
  if (account === undefined || account.suspended) throw accountSuspended()
  if (!call.livemode && account.testAcceptedToday >= TEST_REQUESTS_PER_DAY) throw testModeDailyLimit()
  const credit = { held: microUsd(account.held), available: microUsd(account.balance - account.held) }
  if (hold > 0 && credit.available < hold) throw insufficientCredits(hold, credit)
  const open = call.livemode ? account.openLive : account.openTest
  if (open >= call.limits.concurrentRequests) throw concurrencyLimited(call.limits.concurrentRequests)
}

export function accountSuspended(): ApiError {
  return new ApiError('account_suspended', 'This account is suspended. Ask the operator of this service to resume it.')
}

/** Spec 8; free again at midnight UTC. */
export function testModeDailyLimit(): ApiError {
  const day = 86_400
  const retryAfterSeconds = day - (Math.floor(Date.now() / 1000) % day)
  return new ApiError(
    'test_mode_daily_limit',
    `Test keys may start ${TEST_REQUESTS_PER_DAY} requests a day; the next day begins at midnight UTC. Use a live key to go on.`,
    { retryAfterSeconds },
  )
}

/** Tells the price beside the credit: what is available, and what open requests hold. */
export function insufficientCredits(price: MicroUsd, { held, available }: Credit): ApiError {
  const rest = `${formatDollars(available)} of credit is available${held > 0 ? `, and open requests hold ${formatDollars(held)}` : ''}`
  return new ApiError(
    'insufficient_credits',
    `This request costs at least ${formatDollars(price)}; ${rest}. Buy credit and try again.`,
  )
}

type Credit = { held: MicroUsd; available: MicroUsd }

export function concurrencyLimited(limit: number): ApiError {
  return new ApiError(
    'concurrency_limited',
    `At most ${limit} requests of this account may be queued or processing at once. Wait for one to finish.`,
    { retryAfterSeconds: 1 },
  )
}
