import { ApiError, OperatorError } from '@mediamill/contract/domain/errors'

/** Describes why a command failed: one line for a known reason, otherwise the stack trace. */
export function explain(error: unknown): string {
  if (error instanceof OperatorError || error instanceof ApiError) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && WENT_AWAY.test(String(error.code)))
    return `The connection to the database was lost (${error.message.split('\n')[0]}). Try again when the database is available.`
  return error.stack ?? error.message
}

/** Error codes of a lost database connection, and of a PostgreSQL server that stops or starts. */
const WENT_AWAY = /^(?:CONNECTION_\w+|CONNECT_TIMEOUT|57P0[123])$/
