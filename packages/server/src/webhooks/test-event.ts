import { randomBytes } from 'node:crypto'
import { readWebhookSecrets } from '../accounts/webhook-secret.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { Network } from '../outbound/network.ts'
import { post } from '../outbound/post.ts'
import { DEADLINE_MS, isDelivered } from './deliver.ts'
import { deliveryHeaders } from './event.ts'

type TrialOptions = {
  sql: Sql
  secretKey: string
  network: Network
  example: object
}

export type TrialOutcome = {
  id: string
  delivered: boolean
  status: number | null
  answer: string | null
  reason: string | null
  durationMs: number
}

/** Posts a test event, which is not stored. Receivers recognize its prefix `evt_test_` and test mode. */
export async function postTestEvent(options: TrialOptions, accountId: number, url: string): Promise<TrialOutcome> {
  const { sql, secretKey, network, example } = options
  const id = `evt_test_${randomBytes(14).toString('hex')}`
  const type = 'request.succeeded'
  const now = new Date()
  const event = { id, object: 'event', type, created: Math.floor(now.getTime() / 1000), data: example }
  const body = Buffer.from(JSON.stringify(event))
  const secrets = (await readWebhookSecrets(sql, secretKey, accountId)).map(({ secret }) => secret)
  const outcome = await post(url, {
    network,
    headers: deliveryHeaders({ id, type, attempt: 1 }, body, secrets, now),
    body,
    signal: AbortSignal.timeout(DEADLINE_MS),
    deadlineMs: TRIAL_MS,
  })
  return {
    id,
    delivered: isDelivered(outcome),
    status: outcome.ok ? outcome.status : null,
    answer: outcome.ok ? outcome.bodyStart.toString() : null,
    reason: outcome.ok ? null : outcome.reason,
    durationMs: outcome.durationMs,
  }
}

/** The time limit of a test delivery. It is short: a user waits, and the API call must return within 8 s. */
const TRIAL_MS = 5_000
