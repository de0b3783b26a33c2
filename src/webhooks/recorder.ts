import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../db/connection/connect.ts'
import type { AttemptRow } from '../db/events.ts'
import { recordAttempts } from '../db/events.ts'

/** How long, and how often, an attempt is offered to a database that does not take it; the lease lasts longer. */
const TRY_AGAIN_MS = 500
const TRIES = 16

type Waiting = { attempt: AttemptRow; resolve: (recorded: boolean) => void; reject: (error: unknown) => void }

/**
 * Notes attempts that ended, those that end meanwhile together in the next statement: the time of a commit does not
 * bound how many are made.
 *
 * The promise is `false` when another process has the event now, and rejects when the database stays away: the event
 * is posted once more then, with the same id.
 */
export function createRecorder(sql: Sql): (attempt: AttemptRow) => Promise<boolean> {
  let waiting: Waiting[] = []
  let writing = false

  async function write(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const recorded = await offer(batch.map(({ attempt }) => attempt))
        for (const { attempt, resolve } of batch) resolve(recorded.has(attempt.eventId))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = false
  }

  async function offer(attempts: AttemptRow[]): Promise<Set<string>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await recordAttempts(sql, attempts)
      } catch (error) {
        if (tries === TRIES) throw error
        await delay(TRY_AGAIN_MS)
      }
    }
  }

  return (attempt) =>
    new Promise((resolve, reject) => {
      waiting.push({ attempt, resolve, reject })
      if (!writing) void write()
    })
}
