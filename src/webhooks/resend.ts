import type { Sql } from '../db/connection/connect.ts'
import { notifyEvents } from '../db/connection/notices.ts'
import type { EventRow } from '../db/events/event-log.ts'
import { findEvent, resendEvent } from '../db/events/event-log.ts'
import { OperatorError } from '../domain/errors.ts'

/**
 * Delivers an event anew, with the same id and body. It goes to its request's `webhook_url`, or else to the account's of now.
 *
 * Throws `OperatorError` when there is no such event, when it is on its way, and when it has nowhere to go.
 */
export async function resend(sql: Sql, id: string): Promise<EventRow> {
  const resent = await resendEvent(sql, id)
  if (resent === undefined) throw refusal(id, await findEvent(sql, id))
  await notifyEvents(sql)
  return resent
}

function refusal(id: string, event: EventRow | undefined): OperatorError {
  if (event === undefined) return new OperatorError(`There is no event ${id}.`)
  if (event.status === 'pending') {
    return new OperatorError(`Event ${id} is on its way: ${event.attempts} of 4 attempts have been made.`)
  }
  return new OperatorError(
    `Event ${id} has no URL to go to; give its account one with: mediamill account set-webhook ${event.accountId} URL`,
  )
}
