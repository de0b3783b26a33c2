import { ApiError, RequestFailure } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import { findKeyOfRequest } from '../db/accounts/keys.ts'
import type { RaisedHold } from '../db/claimed-request.ts'
import { updateHold } from '../db/claimed-request.ts'
import type { Sql } from '../db/connection/connect.ts'
import { OPERATORS_ADD_CREDIT } from './accept.ts'
import type { Claim } from './claim.ts'
import { spendingOf, spendMore } from './daily-spend.ts'
import type { Lease } from './settle.ts'

export type IncreaseHold = (price: MicroUsd) => Promise<void>

export function createIncreaseHold(sql: Sql, { lease, hold, request }: Claim): IncreaseHold {
  return async (price) => {
    if (request.livemode && price > hold) await increaseHold(sql, lease, price)
  }
}

/** Raises a hold to `price`. Throws `RequestFailure` above the credit or daily limit (billing.holds.2). */
export async function increaseHold(sql: Sql, lease: Lease, price: MicroUsd): Promise<void> {
  const key = await findKeyOfRequest(sql, lease.id)
  const raised = await raiseHold(sql, lease, price, key)
  if (raised === undefined || raised.isRaised) return
  // The visitors of a web page can share a create_only key. They must not learn the credit of the account.
  const rest =
    key?.restrictions.create_only === true
      ? 'the account does not have enough credit'
      : `only ${formatDollars(microUsd(Math.max(0, raised.left)))} of credit is left`
  throw new RequestFailure(
    'processing_failed',
    `The request costs ${formatDollars(price)}, but ${rest}. Buy credit and send the request again. ${OPERATORS_ADD_CREDIT}`,
  )
}

async function raiseHold(
  sql: Sql,
  lease: Lease,
  price: MicroUsd,
  key: (RestrictedKey & { hold: number }) | undefined,
): Promise<RaisedHold | undefined> {
  const spending = spendingOf(key, price)
  if (key === undefined || spending === undefined) return await updateHold(sql, lease, price)
  return await sql.begin(async (tx) => {
    const raised = await updateHold(tx, lease, price)
    if (raised?.isRaised !== true) return raised
    await spendMore(tx, spending, lease.id, price - key.hold).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      throw new RequestFailure('processing_failed', error.message, { cause: error })
    })
    return raised
  })
}
