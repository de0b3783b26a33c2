import { OperatorError } from '@mediamill/contract/domain/errors'
import { retry } from '../../lib/time/retry.ts'
import { isTlsError } from '../../lib/tls-error.ts'
import type { Sql } from './connect.ts'
import { connect } from './connect.ts'
import { isAway } from './errors.ts'
import { throughPooler } from './pooler.ts'

/** How long a starting process waits for the database (operator.start.3). */
const TIMEOUT_MS = 60_000
const RETRY_MS = 250
const MESSAGE_INTERVAL_MS = 5_000

export type Waiting = {
  variable?: string
  timeoutMs?: number
  onWait?: ((line: string) => void) | undefined
}

/** Retries `work` while the database is unavailable. Throws `OperatorError` if it stays unavailable. */
export async function retryUntilAvailable<Result>(
  work: () => Promise<Result>,
  { variable = 'DATABASE_URL', timeoutMs = TIMEOUT_MS, onWait }: Waiting = {},
): Promise<Result> {
  const startedAt = performance.now()
  let reported = 0
  return await retry(work, {
    pauseMs: RETRY_MS,
    onFailure(error) {
      if (!isAway(error)) throw error
      const waitedMs = performance.now() - startedAt
      if (waitedMs > timeoutMs) throw unavailable(error, variable, timeoutMs)
      const periods = Math.floor(waitedMs / MESSAGE_INTERVAL_MS)
      if (periods > reported) {
        reported = periods
        onWait?.(
          `${variable}: no response from the database for ${(periods * MESSAGE_INTERVAL_MS) / 1000} s; still waiting`,
        )
      }
    },
  })
}

function unavailable(error: Error, variable: string, timeoutMs: number): OperatorError {
  const seconds = Math.round(timeoutMs / 1000)
  const message = `${variable}: no response from the database within ${seconds} s (${reasonOf(error)}).`
  return new OperatorError(message, { cause: error })
}

/** Returns the URL of the database, with the parameter `pgbouncer` if it leads to a pooler. */
export async function awaitDatabase(databaseUrl: string, waiting: Waiting = {}): Promise<string> {
  const marked = throughPooler(databaseUrl)
  // Connects without session settings, because a pooler would reject them.
  const sql = connect(marked, { connections: 1, applicationName: 'mediamill start' })
  try {
    return (await retryUntilAvailable(() => isPoolerSession(sql), waiting)) ? marked : databaseUrl
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { variable = 'DATABASE_URL' } = waiting
    if (isTlsError(error)) {
      const message = `${variable}: TLS to the database failed: ${error.message} (${error.code}).`
      throw new OperatorError(message, { cause: error })
    }
    throw new OperatorError(`${variable}: the database rejected the connection: ${reasonOf(error)}.`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Returns whether the connection leads to a pooler. With a pooler, the process id of the server differs from the id
 * that the connection received at its start.
 */
async function isPoolerSession(sql: Sql): Promise<boolean> {
  const session = await sql.reserve()
  try {
    const [row] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid !== session.processId
  } finally {
    session.release()
  }
}

/** Returns the message of an error. A connection error names the address, but not the password. */
function reasonOf(error: unknown): string {
  // If a host has several addresses, the error for all of them has no message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : ''
}
