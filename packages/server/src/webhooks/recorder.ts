import type { Sql } from '../db/connection/connect.ts'
import type { AttemptRow } from '../db/events/events.ts'
import { recordAttempts } from '../db/events/events.ts'
import { coalesce } from '../lib/time/coalesce.ts'
import { retry } from '../lib/time/retry.ts'

/** How long, and how often, an attempt is offered to a database that does not take it; the lease lasts longer. */
const TRY_AGAIN_MS = 500
const TRIES = 16

/**
 * Writes down attempts that ended. Those that end meanwhile share the next statement, so that the time of a commit does
 * not bound how many are made.
 *
 * The promise is `false` when another process has the event now, and rejects when the database stays away: the event
 * is posted once more then, with the same id.
 */
export function createRecorder(sql: Sql): (attempt: AttemptRow) => Promise<boolean> {
  return coalesce(async (attempts) => {
    const recorded = await retry(() => recordAttempts(sql, [...attempts]), {
      pauseMs: TRY_AGAIN_MS,
      onFailure(error, tries) {
        if (tries === TRIES) throw error
      },
    })
    return attempts.map(({ eventId }) => recorded.has(eventId))
  })
}
