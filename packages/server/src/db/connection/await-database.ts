import { OperatorError } from '@mediamill/contract/domain/errors'
import { retry } from '../../lib/time/retry.ts'
import type { Sql } from './connect.ts'
import { connect, isAway, isDatabaseError } from './connect.ts'
import { isTlsMissing } from './errors.ts'
import { throughPooler } from './pooler.ts'
import { isTlsError } from './tls.ts'

/** How long a database that does not answer at the start is waited for (operator.start.3). */
const PATIENCE_MS = 60_000
const RETRY_MS = 250
/** How often a wait is told of. */
const TELL_MS = 5_000

/** Where the database is set, for the operator, and how long it is waited for. */
export type Waiting = {
  variable?: string
  patienceMs?: number
  /** Told now and then, in a sentence, that it still waits. */
  onWait?: ((line: string) => void) | undefined
}

/**
 * Does `work`, and again as long as the database is away. A process does so with it while it starts.
 *
 * Throws `OperatorError` when it stays away for too long.
 */
export async function whenThere<Result>(
  work: () => Promise<Result>,
  { variable = 'DATABASE_URL', patienceMs = PATIENCE_MS, onWait }: Waiting = {},
): Promise<Result> {
  const startedAt = performance.now()
  let told = 0
  return await retry(work, {
    pauseMs: RETRY_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      const waitedMs = performance.now() - startedAt
      if (waitedMs > patienceMs) throw stayedAway(error, variable, patienceMs)
      const periods = Math.floor(waitedMs / TELL_MS)
      if (periods > told) {
        told = periods
        onWait?.(`${variable}: no database has answered for ${(periods * TELL_MS) / 1000} s; waiting for it`)
      }
    },
  })
}

function stayedAway(error: Error, variable: string, patienceMs: number): OperatorError {
  const seconds = Math.round(patienceMs / 1000)
  const message = `${variable}: no database answered within ${seconds} s (${reasonOf(error)}).`
  return new OperatorError(message, { cause: error })
}

/**
 * Resolves to the address to connect to, when the database answers. It is marked when a pooler was found there. A
 * database that refuses us (a password, a name) is not waited for.
 *
 * Throws `OperatorError` that says why, without the address: it may hold a password.
 */
export async function awaitDatabase(databaseUrl: string, waiting: Waiting = {}): Promise<string> {
  const marked = throughPooler(databaseUrl)
  // Asked as if there were a pooler: it would refuse what others are sent.
  const sql = connect(marked, { connections: 1, applicationName: 'mediamill start' })
  try {
    return (await whenThere(() => isLent(sql), waiting)) ? marked : databaseUrl
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { variable = 'DATABASE_URL' } = waiting
    if (isTlsError(error)) {
      const message = `${variable}: TLS to the database failed: ${error.message} (${error.code}).`
      throw new OperatorError(message, { cause: error })
    }
    throw new OperatorError(`${variable}: the database refuses us: ${reasonOf(error)}.`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Whether the session that answers is lent by a pooler. PostgreSQL names the process of a session when a connection is
 * opened; PgBouncer has none to name yet, and makes up a number.
 */
async function isLent(sql: Sql): Promise<boolean> {
  const session = await sql.reserve()
  try {
    const [row] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid !== session.processId
  } finally {
    session.release()
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return isDatabaseError(error) || isTlsMissing(error) || !('code' in error) ? error.message : String(error.code)
}
