import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { NO_MONEY } from '@mediamill/contract/domain/money'
import type { FinalRequest, Outcome } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { isAway } from '../db/connection/connect.ts'
import { gather } from '../db/connection/gather.ts'
import type { Finish } from '../db/finish-request.ts'
import { finishRequest, finishRequests } from '../db/finish-request.ts'
import type { TraceHeaders } from '../telemetry/trace.ts'
import { sealEnd } from './events/sealed-end.ts'
import { tellEnd } from './notices.ts'
import { toFinalRequest } from './record.ts'

/** A worker's lease on a request. `attempt` fences off a worker that lost it. */
export type Held = { id: RequestId; workerId: string; attempt: number }

/**
 * What goes with an end. The delivery of its event continues `trace`, and `onAddressed` is told that there is one. Where a
 * call waits, the notice says how it ended, sealed with `secretKey`, so that nobody has to ask.
 */
export type SettleOptions = {
  trace?: TraceHeaders | undefined
  onAddressed?: (() => void) | undefined
  secretKey?: string | undefined
}

/**
 * How long ends wait for those before them, should these hang. Statements for one account wait for each other anyway, and
 * the more there are of them, the more often its row changes hands (decision 84).
 */
const LONGEST_WAIT_MS = 1_000

const finishTogether = gather(finishRequests, { longestWaitMs: LONGEST_WAIT_MS })

/**
 * Ends a request that a worker holds. Its final state, its charge and its event are written in one transaction, which
 * those that end meanwhile share (decision 71).
 *
 * Returns `undefined`, and changes nothing, when it was final already or another worker took it over: then the
 * outcome's files belong to nobody.
 */
export async function settle(
  sql: Sql,
  held: Held,
  outcome: Outcome,
  retentionMs: number,
  { trace, onAddressed, secretKey }: SettleOptions = {},
): Promise<FinalRequest | undefined> {
  const eventId = newEventId()
  const finish = { ...toFinish(outcome), retentionMs, eventId, trace }
  const row = await finishTogether(sql, { id: held.id, guard: held, finish }).catch(async (error: unknown) => {
    // What PostgreSQL refuses may be another's: then each is judged alone.
    if (isAway(error)) throw error
    return await finishRequest(sql, held.id, held, finish)
  })
  if (row?.awaited === true) tellEnd(sql, row.id, secretKey === undefined ? undefined : () => sealEnd(secretKey, row))
  if (row?.addressed === true) onAddressed?.()
  return row === undefined ? undefined : toFinalRequest(row)
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

/**
 * Rulings 10. It begins with the time, so that new ones lie side by side in their index however many there are. Of a UUID
 * it takes 80 of the random bits (RFC 9562, 5.4): Node draws those for many at once.
 */
export function newEventId(): string {
  const uuid = randomUUID()
  return `evt_${Date.now().toString(16).padStart(12, '0')}${uuid.slice(0, 8)}${uuid.slice(-12)}`
}
