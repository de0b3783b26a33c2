import type { Logger } from 'pino'
import { isAway } from '../db/connection/errors.ts'

export function logFailure(log: Logger, error: unknown, message: string): void {
  log[isAway(error) ? 'debug' : 'error']({ err: error }, message)
}

export const logErrors = (log: Logger, action: string, work: () => Promise<unknown>) => async (): Promise<void> => {
  try {
    await work()
  } catch (error) {
    logFailure(log, error, `${action} failed; retrying`)
  }
}
