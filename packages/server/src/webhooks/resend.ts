import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'
import type { Runner } from '../db/connection/connect.ts'
import type { EventRow } from '../db/events/event-log.ts'
import { findEvent, resendEvent, resendUndelivered } from '../db/events/event-log.ts'
import { sendNotifications } from '../queue/notifications.ts'

type EventScope = { accountId: number; livemode: boolean | null }

export async function findOwnEvent(sql: Runner, { accountId, livemode }: EventScope, id: string) {
  const event = await findEvent(sql, id)
  const isOwn = event?.accountId === accountId && (livemode === null || event.livemode === livemode)
  return isOwn ? event : undefined
}

export async function resend(sql: Runner, id: string): Promise<EventRow> {
  const resent = await resendNow(sql, id)
  if (resent !== undefined) return resent
  const event = await findEvent(sql, id)
  if (event === undefined) throw new OperatorError(`There is no event ${id}.`)
  const fix = `set the URL of its account with: mediamill account set-webhook ${event.accountId} URL`
  throw new OperatorError(reasonNotSent(event, fix))
}

export async function resendOwn(sql: Runner, scope: EventScope, id: string): Promise<EventRow> {
  const resent = await resendNow(sql, id, scope.accountId, scope.livemode)
  if (resent !== undefined) return resent
  const event = await findOwnEvent(sql, scope, id)
  if (event === undefined) throw new ApiError('not_found', 'There is no such event in this account.')
  throw new ApiError('conflict', reasonNotSent(event, 'set the webhook URL of the account first.'))
}

async function resendNow(...[sql, ...which]: Parameters<typeof resendEvent>): Promise<EventRow | undefined> {
  const resent = await resendEvent(sql, ...which)
  if (resent !== undefined) await sendNotifications(sql, ['queue:deliveries'])
  return resent
}

function reasonNotSent({ id, status, attempts }: EventRow, fix: string): string {
  if (status === 'pending') return `Event ${id} is being delivered: ${attempts} of 4 attempts have been made.`
  return `Event ${id} has no webhook URL; ${fix}`
}

const RESENT_AT_ONCE = 1_000

export async function resendAll(sql: Runner, accountId: number | null): Promise<{ resent: number; left: boolean }> {
  const ids = await resendUndelivered(sql, { accountId, limit: RESENT_AT_ONCE })
  if (ids.length > 0) await sendNotifications(sql, ['queue:deliveries'])
  return { resent: ids.length, left: ids.length === RESENT_AT_ONCE }
}
