import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { EventsAsked, EventsPage } from '../../../requests/events/list-events.ts'
import { listEvents } from '../../../requests/events/list-events.ts'
import { findOwn } from '../../../requests/find.ts'
import type { PatientCall } from '../../await-end.ts'
import type { Door } from '../../door.ts'
import type { HeldCalls } from '../../held-calls.ts'

/** Reads a page of events. Where it would be empty, it waits for one as long as the call wants (events.list.5). */
export async function awaitEvents(
  door: Pick<Door, 'sql' | 'watch' | 'eventWatch'>,
  held: HeldCalls,
  { caller, reply, seconds }: PatientCall,
  asked: EventsAsked,
): Promise<EventsPage> {
  const { id: accountId } = caller.account
  const page = await listEvents(door.sql, accountId, asked)
  if (seconds === undefined) return page
  const applied = () => reply.header('preference-applied', `wait=${seconds}`)
  const { requestId, after } = asked
  if (page.events.length > 0 || (requestId !== undefined && !(await isOpen(door, caller.account.id, requestId)))) {
    applied()
    // What has ended since the page was read has its event.
    return page.events.length > 0 ? page : await listEvents(door.sql, accountId, asked)
  }
  const isThere = await held.hold({ caller, reply }, seconds, async (signal) => {
    applied()
    return requestId === undefined
      ? await door.eventWatch.wait(accountId, after?.sequence ?? 0, signal)
      : await door.watch.wait(requestId, undefined, signal)
  })
  return isThere === undefined ? page : await listEvents(door.sql, accountId, asked)
}

/** Whether an account's request still has its event to come; of another's, and of none, none ever comes. */
async function isOpen({ sql }: Pick<Door, 'sql'>, accountId: AccountId, id: RequestId): Promise<boolean> {
  const request = await findOwn(sql, accountId, id)
  return request !== undefined && !('completedAt' in request)
}
