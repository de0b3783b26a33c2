import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../domain/errors.ts'
import { connect, isAway, isDatabaseError } from './connect.ts'

/** How long a database that does not answer at the start is waited for (decisions 14). */
const PATIENCE_MS = 60_000
const RETRY_MS = 250

/**
 * Does `work`, and again as long as the database is away: what a process does with it while it starts.
 *
 * Throws `OperatorError` when it stays away for too long.
 */
export async function whenThere<Result>(work: () => Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error)) throw error
      if (performance.now() > deadline) {
        const seconds = Math.round(patienceMs / 1000)
        throw new OperatorError(`DATABASE_URL: no database answered within ${seconds} s (${reasonOf(error)}).`, {
          cause: error,
        })
      }
    }
    await delay(RETRY_MS)
  }
}

/**
 * Resolves when the database answers. One that refuses us (a password, a name) is not waited for.
 *
 * Throws `OperatorError` that says why, without the address: it may hold a password.
 */
export async function awaitDatabase(databaseUrl: string, patienceMs = PATIENCE_MS): Promise<void> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill start' })
  try {
    await whenThere(() => sql`select 1`, patienceMs)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`DATABASE_URL: the database refuses us: ${reasonOf(error)}.`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const stateOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const reasonOf = (error: unknown) => (isDatabaseError(error) && error instanceof Error ? error.message : stateOf(error))
