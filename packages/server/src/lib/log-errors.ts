import type { Logger } from 'pino'

/** Logs the errors of a task that a timer repeats. The next turn retries it. */
export const logErrors = (log: Logger, what: string, work: () => Promise<unknown>) => async (): Promise<void> => {
  try {
    await work()
  } catch (error) {
    log.error({ err: error }, `${what} failed; retrying`)
  }
}
