import { randomFillSync } from 'node:crypto'

const BYTES = 12

/** Random bytes for many ids at once: one call of the system's generator costs more than the rest of an id. */
const pool = Buffer.alloc(BYTES * 256)
let used = pool.length

/**
 * Makes the id of a call, `req_…`. It is in the answer's Request-Id, the error's request_id and the log (rulings 4).
 */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += BYTES
  return `req_${pool.toString('hex', used - BYTES, used)}`
}
