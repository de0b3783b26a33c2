import { readWebhookSecrets } from '../accounts/webhook-secret.ts'
import type { Sql } from '../db/connection/connect.ts'
import { listEventCounts } from '../db/events/account-events.ts'
import type { FollowedRow } from '../db/events/event-log.ts'
import { listEventsBehind } from '../db/events/event-log.ts'
import type { Network } from '../outbound/network.ts'
import type { PostOutcome } from '../outbound/post.ts'
import { post } from '../outbound/post.ts'
import type { Links } from '../requests/present.ts'
import { DEADLINE_MS } from './deliver.ts'
import { deliveryHeaders, eventBody } from './event.ts'

type FollowOptions = {
  sql: Sql
  secretKey: string
  links: Links
  accountId: number
  url: string
  network: Network
}

export type Forwarded = { eventId: string; type: string; requestId: number; outcome: PostOutcome }

export type Follower = {
  poll: (signal: AbortSignal) => AsyncGenerator<Forwarded>
}

/** Forwards new events of an account to a URL for `mediamill listen`. Posts each event once. */
export async function startFollowing(options: FollowOptions): Promise<Follower> {
  const { sql, accountId } = options
  const [counted] = await listEventCounts(sql, [accountId])
  let last = counted?.count ?? 0

  async function* poll(signal: AbortSignal): AsyncGenerator<Forwarded> {
    for (const row of await listEventsBehind(sql, accountId, last)) {
      last = row.sequence
      const outcome = await forward(options, row, signal)
      yield { eventId: row.eventId, type: row.type, requestId: row.id, outcome }
    }
  }

  return { poll }
}

async function forward(options: FollowOptions, row: FollowedRow, signal: AbortSignal): Promise<PostOutcome> {
  const { sql, secretKey, accountId } = options
  const body = row.body ?? eventBody(row, options.links)
  const secrets = (await readWebhookSecrets(sql, secretKey, accountId)).map(({ secret }) => secret)
  const event = { id: row.eventId, type: row.type, attempt: 1 }
  return await post(options.url, {
    network: options.network,
    headers: deliveryHeaders(event, body, secrets, new Date()),
    body,
    signal,
    deadlineMs: DEADLINE_MS,
  })
}
