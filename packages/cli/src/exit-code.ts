import { OperatorError } from '@mediamill/contract/domain/errors'
import { isMediamillError } from '@mediamill/sdk/src/errors/mediamill-error'
import { CommanderError } from 'commander'
import { INTERRUPTED } from './batch/interrupts.ts'
import { reasonOf } from './batch/reason.ts'
import { InterruptedError, UsageError } from './usage-error.ts'

export const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Returns the exit code and the message for an error. Returns no message if Commander has already printed it. */
export function endOf(error: unknown): { code: number; message?: string } {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? DONE : WRONG_USAGE }
  if (error instanceof InterruptedError) return { code: INTERRUPTED, message: error.message }
  if (error instanceof UsageError) return { code: WRONG_USAGE, message: error.message }
  return { code: FAILED, message: isMessageForUser(error) ? reasonOf(error) : explain(error) }
}

/** Returns whether a message is for the user. Compares names, because each copy of a library has its own classes. */
function isMessageForUser(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'ApiError' || error.name === 'RequestFailure' || isMediamillError(error))
  )
}

function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && DATABASE_UNAVAILABLE.test(String(error.code)))
    return `The connection to the database was lost (${error.message.split('\n')[0]}). Try again when the database is available.`
  return error.stack ?? error.message
}

/** Matches error codes of a lost database connection, or of a PostgreSQL server that stops or starts. */
const DATABASE_UNAVAILABLE = /^(?:CONNECTION_\w+|CONNECT_TIMEOUT|57P0[123])$/
