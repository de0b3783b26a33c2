import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { listEvents as listEventsRoute } from '@mediamill/contract/routes/events'
import type { FastifyInstance } from 'fastify'
import type { EventListQuery, EventsPage } from '../../requests/events/list-events.ts'
import { listEvents, maybeUnwritten, positionOf } from '../../requests/events/list-events.ts'
import { presentAccountEvent } from '../../requests/events/present-event.ts'
import { findOwn } from '../../requests/find.ts'
import type { ApiContext } from '../api-context.ts'
import type { LongPolls } from '../long-polls.ts'
import { waitSecondsOf } from '../prefer.ts'
import { serveRoute } from '../serve-route.ts'
import type { WaitingCall } from '../wait-for-completion.ts'

/** Serves the events of an account. If the list is empty, a call can wait for the next event (events.list.5). */
export function serveEvents(app: FastifyInstance, api: ApiContext, longPolls: LongPolls): void {
  serveRoute(app, listEventsRoute, async (call, reply) => {
    const { caller } = call
    const { limit, after, request_id: requestId } = call.query
    const position = after === undefined ? undefined : await positionOf(api.sql, caller.account.id, after)
    if (after !== undefined && position === undefined) throw noSuchEvent()
    const query = { after: position, limit, requestId: requestId === undefined ? undefined : (requestId as RequestId) }
    const page = await waitForEvents(api, longPolls, { caller, reply, seconds: waitSecondsOf(call) }, query)
    await Promise.all(maybeUnwritten(page, Date.now()).map(api.durable))
    return {
      object: 'list' as const,
      data: page.events.map((event) => presentAccountEvent(event, api.links)),
      has_more: page.hasMore,
    }
  })
}

function noSuchEvent() {
  const message =
    'after must be the id of an event of this account. Pass the id of the last event that you received, or omit after to start with the oldest event.'
  return validationFailed([{ param: 'after', code: 'invalid_value', message }])
}

export async function waitForEvents(
  api: Pick<ApiContext, 'sql' | 'watch' | 'eventWatch'>,
  longPolls: LongPolls,
  { caller, reply, seconds }: WaitingCall,
  query: EventListQuery,
): Promise<EventsPage> {
  const { id: accountId } = caller.account
  const page = await listEvents(api.sql, accountId, query)
  if (seconds === undefined) return page
  const applied = () => reply.header('preference-applied', `wait=${seconds}`)
  const { requestId, after } = query
  if (page.events.length > 0 || (requestId !== undefined && !(await isOpen(api, caller.account.id, requestId)))) {
    applied()
    // The request may have completed between the read and the start of the wait.
    return page.events.length > 0 ? page : await listEvents(api.sql, accountId, query)
  }
  const isThere = await longPolls.hold({ caller, reply }, seconds, async (signal) => {
    applied()
    return requestId === undefined
      ? await api.eventWatch.wait(accountId, after?.sequence ?? 0, signal)
      : await api.watch.wait(requestId, undefined, signal)
  })
  return isThere === undefined ? page : await listEvents(api.sql, accountId, query)
}

/** Returns whether a request is still open. The event of an open request will follow. */
async function isOpen({ sql }: Pick<ApiContext, 'sql'>, accountId: AccountId, id: RequestId): Promise<boolean> {
  const request = await findOwn(sql, accountId, id)
  return request !== undefined && !('completedAt' in request)
}
