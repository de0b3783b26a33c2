import type { RequestId } from '@mediamill/contract/domain/ids'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { listEvents } from '@mediamill/contract/routes/list-events'
import type { FastifyInstance } from 'fastify'
import { maybeUnwritten, placeOf } from '../../requests/events/list-events.ts'
import { presentAccountEvent } from '../../requests/events/present-event.ts'
import type { Door } from '../door.ts'
import type { HeldCalls } from '../held-calls.ts'
import { waitSecondsOf } from '../prefer.ts'
import { serveRoute } from '../serve-route.ts'
import { awaitEvents } from './events/await-events.ts'

/** Lists the events of an account. An empty page can wait for the next event (events.list.5). */
export function serveEvents(app: FastifyInstance, door: Door, held: HeldCalls): void {
  serveRoute(app, listEvents, async (call, reply) => {
    const { caller } = call
    const { limit, after, request_id: requestId } = call.query
    const place = after === undefined ? undefined : await placeOf(door.sql, caller.account.id, after)
    if (after !== undefined && place === undefined) throw noSuchEvent()
    const asked = { after: place, limit, requestId: requestId === undefined ? undefined : (requestId as RequestId) }
    const page = await awaitEvents(door, held, { caller, reply, seconds: waitSecondsOf(call) }, asked)
    await Promise.all(maybeUnwritten(page, Date.now()).map(door.durable))
    return {
      object: 'list' as const,
      data: page.events.map((event) => presentAccountEvent(event, door.links)),
      has_more: page.hasMore,
    }
  })
}

function noSuchEvent() {
  const message =
    'after names no event of this account. Pass the id of the last event that you have seen, or leave it out to begin with the oldest.'
  return validationFailed([{ param: 'after', code: 'invalid_value', message }])
}
