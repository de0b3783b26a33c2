import type { Sql } from '../db/connection/connect.ts'
import type { AttemptRow } from '../db/events/events.ts'
import { recordAttempts } from '../db/events/events.ts'
import { coalesce } from '../lib/time/coalesce.ts'
import { retry } from '../lib/time/retry.ts'

/** Attempts to record an outcome. Together they are shorter than the lease. */
const RETRY_MS = 500
const TRIES = 16

/** `false` if another process has the event. Rejects without a database; the event is then posted again. */
export function createRecorder(sql: Sql): (attempt: AttemptRow) => Promise<boolean> {
  return coalesce(async (attempts) => {
    const recorded = await retry(() => recordAttempts(sql, [...attempts]), {
      pauseMs: RETRY_MS,
      onFailure(error, tries) {
        if (tries === TRIES) throw error
      },
    })
    return attempts.map(({ eventId }) => recorded.has(eventId))
  })
}
