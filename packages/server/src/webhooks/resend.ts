import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'
import type { Runner } from '../db/connection/connect.ts'
import type { EventRow } from '../db/events/event-log.ts'
import { findEvent, resendEvent } from '../db/events/event-log.ts'
import { sendNotifications } from '../queue/notifications.ts'
import type { EventScope } from './list.ts'

/** Sends an event again to the request's `webhook_url`, or else to the account's URL. Throws `OperatorError`. */
export async function resend(sql: Runner, id: string): Promise<EventRow> {
  const resent = await resendEvent(sql, id)
  if (resent === undefined) throw new OperatorError(reasonNotSent(id, await findEvent(sql, id), COMMAND))
  await sendNotifications(sql, ['queue:deliveries'])
  return resent
}

/** Sends an event of an account again. Called by the console. Throws `not_found` or `conflict`. */
export async function resendOwn(sql: Runner, { accountId, livemode }: EventScope, id: string): Promise<EventRow> {
  const resent = await resendEvent(sql, id, accountId, livemode)
  if (resent !== undefined) {
    await sendNotifications(sql, ['queue:deliveries'])
    return resent
  }
  const event = await findEvent(sql, id)
  const isSeen = event?.accountId === accountId && (livemode === null || event.livemode === livemode)
  if (!isSeen) throw new ApiError('not_found', 'There is no such event in this account.')
  throw new ApiError(
    'conflict',
    reasonNotSent(id, event, () => 'set the webhook URL of the account first.'),
  )
}

function reasonNotSent(id: string, event: EventRow | undefined, way: (event: EventRow) => string): string {
  if (event === undefined) return `There is no event ${id}.`
  if (event.status === 'pending') {
    return `Event ${id} is being delivered: ${event.attempts} of 4 attempts have been made.`
  }
  return `Event ${id} has no webhook URL; ${way(event)}`
}

const COMMAND = ({ accountId }: EventRow) =>
  `set the URL of its account with: mediamill account set-webhook ${accountId} URL`
