import type { Lane } from '@mediamill/contract/domain/request'
import type { Runner, Sql } from '../db/connection/connect.ts'
import { CHANNEL, notifying } from '../db/notify.ts'
import { coalesce } from '../lib/time/coalesce.ts'

type QueueName = Lane | 'segments' | 'text-watermarks' | 'deliveries'

/**
 * A change to notify other processes of. `request`: the request has completed. `account`: the account has a new event.
 * `segments`: a segment has ended.
 */
export type Change =
  | `queue:${QueueName}`
  | `${'abort' | 'request' | 'account' | 'segments'}:${number}`
  | `text-watermark:${string}`

type Topic = Change extends `${infer Name}:${string}` ? Name : never

/** The maximum length of a notification in bytes. PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD = 7_900

export async function sendNotifications(sql: Runner, changes: readonly Change[]): Promise<void> {
  const payloads: string[] = []
  for (const change of changes) {
    const last = payloads.pop()
    if (last === undefined) payloads.push(change)
    else if (last.length + 1 + change.length <= MAX_PAYLOAD) payloads.push(`${last} ${change}`)
    else payloads.push(last, change)
  }
  await sql`select ${notifying(sql, sql`payload`)} from unnest(${payloads}::text[]) payload`
}

const PAUSE_MS = 2

type Send = (changes: readonly Change[]) => Promise<unknown>

const senders = new WeakMap<Sql, Send>()

/** Sends notifications. Call it after a commit: in a transaction, a notification makes commits wait for each other. */
export function notify(sql: Sql, ...changes: Change[]): void {
  // If the database is unavailable, the notification is lost. Polls find the changes later.
  void senderOf(sql)(changes).catch(() => undefined)
}

function senderOf(sql: Sql): Send {
  const found = senders.get(sql)
  if (found !== undefined) return found
  const send = coalesce(
    async (batch: readonly (readonly Change[])[]) => {
      await sendNotifications(sql, [...new Set(batch.flat())])
      return batch
    },
    { pauseMs: PAUSE_MS },
  )
  senders.set(sql, send)
  return send
}

type Listening = { stop: () => Promise<void> }

/** Listens for notifications. After an outage, reconnects and calls `onListening`, because notifications were lost. */
export async function subscribe(
  sql: Sql,
  handlers: { [Name in Topic]?: (ids: string[]) => void },
  onListening?: () => void,
): Promise<Listening> {
  const onPayload = (payload: string) => {
    const changes = payload.split(' ').map((change) => change.split(':', 2) as [Topic, string])
    for (const [topic, found] of Map.groupBy(changes, ([topic]) => topic)) handlers[topic]?.(found.map(([, id]) => id))
  }
  const { unlisten } = await sql.listen(CHANNEL, onPayload, onListening)
  return { stop: unlisten }
}

export const subscribeToQueue = (sql: Sql, queue: QueueName, wake: () => void): Promise<Listening> =>
  subscribe(sql, { queue: (names) => names.includes(queue) && wake() }, wake)
