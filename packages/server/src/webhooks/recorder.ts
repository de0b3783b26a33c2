import type { Sql } from '../db/connection/connect.ts'
import type { AttemptRow } from '../db/events/events.ts'
import { recordAttempts } from '../db/events/events.ts'
import { coalesce } from '../lib/time/coalesce.ts'
import { retry } from '../lib/time/retry.ts'

/** The pause between tries to record an outcome. All tries together take less time than the lease of the event. */
const RETRY_MS = 500
const TRIES = 16

/** Returns a function that records an attempt. That function returns `false` if another process claimed the event. */
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
