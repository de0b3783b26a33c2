import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'
import type { Runner } from '../db/connection/connect.ts'
import { notifyEvents } from '../db/connection/notices.ts'
import type { EventRow } from '../db/events/event-log.ts'
import { findEvent, resendEvent } from '../db/events/event-log.ts'
import type { EventScope } from './list.ts'

/**
 * Delivers an event anew, with the same id and body. It goes to its request's `webhook_url`, or else to the account's of now.
 *
 * Throws `OperatorError` when there is no such event, when it is on its way, and when it has nowhere to go.
 */
export async function resend(sql: Runner, id: string): Promise<EventRow> {
  const resent = await resendEvent(sql, id)
  if (resent === undefined) throw new OperatorError(refusal(id, await findEvent(sql, id), COMMAND))
  await notifyEvents(sql)
  return resent
}

/** The same for an account in the developer area, which has its own events alone. Throws `not_found` and `conflict`. */
export async function resendOwn(sql: Runner, { accountId, livemode }: EventScope, id: string): Promise<EventRow> {
  const resent = await resendEvent(sql, id, accountId, livemode)
  if (resent !== undefined) {
    await notifyEvents(sql)
    return resent
  }
  const event = await findEvent(sql, id)
  const isSeen = event?.accountId === accountId && (livemode === null || event.livemode === livemode)
  if (!isSeen) throw new ApiError('not_found', 'There is no such event in this account.')
  throw new ApiError(
    'conflict',
    refusal(id, event, () => 'set the URL of the account first.'),
  )
}

function refusal(id: string, event: EventRow | undefined, way: (event: EventRow) => string): string {
  if (event === undefined) return `There is no event ${id}.`
  if (event.status === 'pending') {
    return `Event ${id} is on its way: ${event.attempts} of 4 attempts have been made.`
  }
  return `Event ${id} has no URL to go to; ${way(event)}`
}

const COMMAND = ({ accountId }: EventRow) => `give its account one with: mediamill account set-webhook ${accountId} URL`
