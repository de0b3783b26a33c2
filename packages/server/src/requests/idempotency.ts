import { randomUUID } from 'node:crypto'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import type { IdempotencyKey } from '../db/idempotency.ts'
import { holdKey } from '../db/idempotency.ts'
import type { Fingerprint } from './fingerprint.ts'

export { releaseKey } from '../db/idempotency.ts'

/** An idempotency key that a call holds. `accept` binds the key to a request. A rejected call releases the key. */
export type KeyHold = { key: string; holder: string }

/** Holds an idempotency key for a call. If a request has used the key, returns that request (idempotency.replays.1). */
export async function hold(
  sql: Sql,
  key: IdempotencyKey,
  fingerprint: Fingerprint,
): Promise<{ hold: KeyHold } | { replayOf: RequestId }> {
  const holder = randomUUID()
  for (let tries = 0; tries < 5; tries += 1) {
    const found = await holdKey(sql, key, fingerprint, holder)
    // Another call has just written or released the key. Try again.
    if (found === undefined) continue
    if (found.state === 'held') return { hold: { key: key.key, holder } }
    if (!found.sameBody) throw keyReused()
    if (found.state === 'replay') return { replayOf: found.requestId as RequestId }
    break
  }
  throw keyInUse()
}

export function keyInUse(): ApiError {
  return new ApiError(
    'idempotency_key_in_use',
    'Another call with this Idempotency-Key is still running. Try again in a second.',
    { retryAfterSeconds: 1 },
  )
}

export function keyReused(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body, or at another endpoint. Send the same call again, or use a new key.',
  )
}
