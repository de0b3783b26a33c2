import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import { listEventCounts } from '../db/events/account-events.ts'
import type { RequestRow } from '../db/requests.ts'
import { listChanged } from '../db/requests.ts'
import type { WatchOptions } from '../queue/watch.ts'
import { pollAfter, Watch } from '../queue/watch.ts'

/** The last state that the caller has read. `undefined` if the caller waits for completion. */
type PreviousState = Pick<RequestRow, 'status' | 'progress'> | undefined

export type RequestWatch = Watch<RequestId, PreviousState, RequestRow>

export const createRequestWatch = (
  sql: Sql,
  options: Pick<WatchOptions<RequestId, PreviousState, RequestRow>, 'schedule'> = {},
): RequestWatch =>
  new Watch({
    ...options,
    read: (waits) =>
      listChanged(
        sql,
        waits.map(({ key, previous }) => ({ id: key, previous })),
      ),
    keyOf: ({ id }) => id as RequestId,
    hasChanged: (row, previous) =>
      row.completedAt !== null ||
      (previous !== undefined && (row.status !== previous.status || row.progress !== previous.progress)),
  })

/** The poll interval of streams, which must send progress within 0.1 s (streams.events.1) without notifications. */
const STREAM_POLL_MS = 80

export const createStreamWatch = (sql: Sql): RequestWatch =>
  createRequestWatch(sql, { schedule: pollAfter(STREAM_POLL_MS) })

export type EventWatch = Watch<AccountId, number, { accountId: number; count: number }>

/** Watches for new events of accounts. A caller passes the number of the last event that it has read. */
export const createEventWatch = (sql: Sql): EventWatch =>
  new Watch({
    read: (waits) => listEventCounts(sql, [...new Set(waits.map(({ key }) => key))]),
    keyOf: ({ accountId }) => accountId as AccountId,
    hasChanged: ({ count }, previous) => count > previous,
  })
