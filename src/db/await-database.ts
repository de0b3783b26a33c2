import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../domain/errors.ts'
import { connect, isAway, isDatabaseError } from './connect.ts'

/** How long a database that does not answer at the start is waited for (decisions 14). */
const PATIENCE_MS = 60_000
const RETRY_MS = 250

/**
 * Resolves when the database answers. One that refuses us (a password, a name) is not waited for.
 *
 * Throws `OperatorError` that says why, without the address: it may hold a password.
 */
export async function awaitDatabase(databaseUrl: string, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill start' })
  try {
    for (;;) {
      try {
        await sql`select 1`
        return
      } catch (error) {
        if (isDatabaseError(error) && !isAway(error))
          throw new OperatorError(`DATABASE_URL: the database refuses us: ${reasonOf(error)}.`, { cause: error })
        if (performance.now() > deadline) {
          const seconds = Math.round(patienceMs / 1000)
          throw new OperatorError(`DATABASE_URL: no database answered within ${seconds} s (${reasonOf(error)}).`, {
            cause: error,
          })
        }
      }
      await delay(RETRY_MS)
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const stateOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const reasonOf = (error: unknown) => (isDatabaseError(error) && error instanceof Error ? error.message : stateOf(error))
