import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { NO_MONEY } from '@mediamill/contract/domain/money'
import type { FinalRequest, Outcome } from '@mediamill/contract/domain/request'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { isAway } from '../db/connection/errors.ts'
import type { Finish } from '../db/finish-request.ts'
import { finishRequest, finishRequests } from '../db/finish-request.ts'
import { notify } from '../queue/notifications.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { toFinalRequest } from './record.ts'

/** A worker's claim of a request. After the worker has lost the request, its writes with this `attempt` fail. */
export type Lease = { id: RequestId; workerId: string; attempt: number }

/** `trace`: the trace that the webhook delivery continues. `onAddressed`: called if the event has a webhook URL. */
type SettleOptions = {
  trace?: TraceHeaders | undefined
  onAddressed?: (() => void) | undefined
}

/** If a batch of completions takes longer than this, the next batch starts in parallel. */
const MAX_WAIT_MS = 1_000

const finishTogether = batch(finishRequests, { longestWaitMs: MAX_WAIT_MS })

/** Records an outcome. Returns `undefined` if the request was already final, or another worker has claimed it. */
export async function settle(
  sql: Sql,
  lease: Lease,
  outcome: Outcome,
  retentionMs: number,
  { trace, onAddressed }: SettleOptions = {},
): Promise<FinalRequest | undefined> {
  const eventId = newEventId()
  const finish = { ...toFinish(outcome), retentionMs, eventId, trace }
  const row = await finishTogether(sql, { id: lease.id, guard: lease, finish }).catch(async (error: unknown) => {
    // Another request may have made the batch fail, so complete this request alone.
    if (isAway(error)) throw error
    return await finishRequest(sql, lease.id, lease, finish)
  })
  if (row === undefined) return undefined
  notifyCompletion(sql, row)
  if (row.addressed) onAddressed?.()
  return toFinalRequest(row)
}

export function notifyCompletion(sql: Sql, { id, accountId }: { id: number; accountId: number }): void {
  notify(sql, `request:${id}`, `account:${accountId}`)
}

function toFinish(outcome: Outcome): Omit<Finish, 'retentionMs' | 'eventId' | 'trace'> {
  const { sourceBytes, took = null } = outcome
  switch (outcome.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        price: outcome.price,
        data: outcome.data,
        files: outcome.files,
        error: null,
        sourceBytes,
        took,
      }
    case 'failed':
      return { status: 'failed', price: NO_MONEY, data: null, files: null, error: outcome.error, sourceBytes, took }
  }
}

/** Creates an id that starts with the time, so that new ids are neighbors in the index (events.object.1). */
export function newEventId(): string {
  const uuid = randomUUID()
  return `evt_${Date.now().toString(16).padStart(12, '0')}${uuid.slice(0, 8)}${uuid.slice(-12)}`
}
