import pg from 'pg'
import { codeOf } from '../../lib/error-code.ts'
import { isTlsError } from '../../lib/tls-error.ts'

export const connectionError = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code })

const CODES: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated|not queryable$/, 'CONNECTION_CLOSED'],
  [/^timeout expired$/, 'CONNECT_TIMEOUT'],
  [/establishing an SSL connection/, 'CONNECTION_CLOSED'],
  [/does not support SSL/, 'TLS_NOT_SUPPORTED'],
]

export const isTlsMissing = (error: unknown) => codeOf(error) === 'TLS_NOT_SUPPORTED'

export function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  const [, code] = CODES.find(([message]) => message.test(error.message)) ?? []
  return code === undefined ? error : connectionError(code, error.message, error)
}

export const poolEnded = () => connectionError('CONNECTION_ENDED', 'the pool of database connections has ended')

/** SQL states of an unavailable server: connection lost, start or stop, too many connections, standby (25006). */
const AWAY_STATES = /^(?:08...|57P0[1235]|53300|25006)$/

/** Returns whether PostgreSQL itself reported a protocol error. PgBouncer uses the same code for a lost session. */
const isProtocolViolation = ({ code, routine }: pg.DatabaseError) => code === '08P01' && routine !== undefined

const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'CONNECTION_CLOSED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'TLS_NOT_SUPPORTED',
])

export function isAway(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false
  if (error instanceof pg.DatabaseError) return AWAY_STATES.test(error.code ?? '') && !isProtocolViolation(error)
  if (isTlsError(error)) return false
  // Any failed `connect` system call counts, for example ENOENT for a missing Unix socket.
  return CONNECTION_CODES.has(error.code) || ('syscall' in error && error.syscall === 'connect')
}

export function isDatabaseError(error: unknown, state?: string): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && (state === undefined || error.code === state)
}

export const isOutOfSpace = (error: unknown): boolean => isDatabaseError(error, '53100')
