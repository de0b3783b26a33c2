import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { updateHold } from '../db/claim-requests.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { Claim } from './claim.ts'
import type { Held } from './settle.ts'

/** Raises a claim's hold to a higher price. Throws `RequestFailure` when the credit does not allow it. */
export type HoldGrower = (price: MicroUsd) => Promise<void>

/** Grows the hold of one claim. The database is asked only about a price above every earlier one. */
export function createHoldGrower(sql: Sql, { held, hold, request }: Claim): HoldGrower {
  let highest = hold
  return async (price) => {
    if (!request.livemode || price <= highest) return
    await growHold(sql, held, price)
    highest = price
  }
}

/**
 * Raises the hold of a live request to its real cost (billing.holds.1).
 *
 * Throws `RequestFailure` when the credit is used up by other open requests, so that the balance falls below zero by
 * one request at most (billing.holds.2).
 */
export async function growHold(sql: Sql, held: Held, price: MicroUsd): Promise<void> {
  const raised = await updateHold(sql, held, price)
  if (raised === undefined || raised.isRaised) return
  const left = formatDollars(microUsd(Math.max(0, raised.left)))
  throw new RequestFailure(
    'processing_failed',
    `It costs ${formatDollars(price)}, and ${left} of credit is left. Buy credit and send it again.`,
  )
}
