import { createHash, randomUUID } from 'node:crypto'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import type { IdempotencyKey } from '../db/idempotency.ts'
import { holdKey } from '../db/idempotency.ts'

export { releaseKey } from '../db/idempotency.ts'

/** A key that this call holds, to be bound by `accept` or given back. */
export type KeyHold = { key: string; holder: string }

/**
 * Holds an Idempotency-Key for a call, or finds the request made with it (rulings 5).
 *
 * Throws `idempotency_key_reused` for another body, `idempotency_key_in_use` while another call with the same body is
 * in flight.
 */
export async function hold(
  sql: Sql,
  key: IdempotencyKey,
  fingerprint: Buffer,
): Promise<{ hold: KeyHold } | { replayOf: RequestId }> {
  const holder = randomUUID()
  for (let tries = 0; tries < 5; tries += 1) {
    const found = await holdKey(sql, key, fingerprint, holder)
    // Nothing back: another call's record was written or given back while this statement ran.
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
    'Another call with this Idempotency-Key is being answered right now. Try again in a second.',
    { retryAfterSeconds: 1 },
  )
}

export function keyReused(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body, or at another endpoint. Send the same call again, or use a new key.',
  )
}

/** Hashes what makes two calls the same: method, path and body. Spacing and order of keys do not count. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${method} ${path}\n${canonical(body)}`)
    .digest()
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}
