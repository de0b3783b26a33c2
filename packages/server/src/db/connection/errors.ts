import pg from 'pg'
import { isTlsError } from './tls.ts'

/** An error of a connection, with a code as Node.js has for others. */
const connectionError = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code })

/** The codes of the errors for which `pg` has only a message. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated|not queryable$/, 'CONNECTION_CLOSED'],
  [/^timeout expired$/, 'CONNECT_TIMEOUT'],
  [/establishing an SSL connection/, 'CONNECTION_CLOSED'],
  [/does not support SSL/, 'TLS_NOT_SUPPORTED'],
]

/** The server has no TLS. */
export const isTlsMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'TLS_NOT_SUPPORTED'

/** Returns the error with a code, so that callers can classify it. */
export function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  const [, code] = CODES.find(([message]) => message.test(error.message)) ?? []
  return code === undefined ? error : connectionError(code, error.message, error)
}

/** The error of a statement that comes after the end of its pool. */
export const poolEnded = () => connectionError('CONNECTION_ENDED', 'the pool of database connections has ended')

/** PostgreSQL is there but has no time yet: starting, stopping, without a free place for one more, or a standby still. */
const PASSING = new Set(['57P03', '57P02', '57P01', '53300', '25006'])

/** PgBouncer has no session to lend, or lost one. PostgreSQL would name the routine that complains. */
const isPoolerAway = ({ code, routine }: pg.DatabaseError) => code === '08P01' && routine === undefined

/** Returns whether the database is away and may return. The call may be repeated. */
export function isAway(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false
  if (error instanceof pg.DatabaseError) return PASSING.has(error.code ?? '') || isPoolerAway(error)
  if (isTlsError(error)) return false
  return !String(error.code).startsWith('ERR_') && error.code !== 'CONNECTION_ENDED'
}

/** Returns whether the error is an answer of PostgreSQL, with this SQLSTATE if one is given. */
export function isDatabaseError(error: unknown, state?: string): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && (state === undefined || error.code === state)
}
