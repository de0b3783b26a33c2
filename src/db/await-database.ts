import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../domain/errors.ts'
import { connect, isAway, isDatabaseError, type Runner } from './connect.ts'
import { throughPooler } from './pooler.ts'

/** How long a database that does not answer at the start is waited for (decisions 14). */
const PATIENCE_MS = 60_000
const RETRY_MS = 250

/**
 * Resolves when the database answers, to the address to connect to: marked when a pooler was found there. A database
 * that refuses us (a password, a name) is not waited for.
 *
 * Throws `OperatorError` that says why, without the address: it may hold a password. `variable` is where it is set.
 */
export async function awaitDatabase(
  databaseUrl: string,
  { variable = 'DATABASE_URL', patienceMs = PATIENCE_MS } = {},
): Promise<string> {
  const deadline = performance.now() + patienceMs
  const marked = throughPooler(databaseUrl)
  // Asked as if there were a pooler: it would refuse what others are sent.
  const sql = connect(marked, { connections: 1, applicationName: 'mediamill start' })
  try {
    for (;;) {
      try {
        return (await isLent(sql)) ? marked : databaseUrl
      } catch (error) {
        if (isDatabaseError(error) && !isAway(error))
          throw new OperatorError(`${variable}: the database refuses us: ${reasonOf(error)}.`, { cause: error })
        if (performance.now() > deadline) {
          const seconds = Math.round(patienceMs / 1000)
          throw new OperatorError(`${variable}: no database answered within ${seconds} s (${reasonOf(error)}).`, {
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

/**
 * Whether the session that answers is lent by a pooler. PostgreSQL names the process of a session when a connection is
 * opened; PgBouncer has none to name yet, and makes up a number.
 */
async function isLent(sql: Runner): Promise<boolean> {
  const asked = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return asked[0]?.pid !== asked.state.pid
}

const stateOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const reasonOf = (error: unknown) => (isDatabaseError(error) && error instanceof Error ? error.message : stateOf(error))
