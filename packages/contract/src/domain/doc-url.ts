import type { ApiErrorCode, ConsoleErrorCode, FailureCode } from './errors.ts'

/** Where the page of codes lies below the public address of a service. */
export const CODES_PATH = '/docs/errors'

/** Where a service tells what one of its codes means, and what to do then. */
export const docUrl = (baseUrl: string, code: ApiErrorCode | ConsoleErrorCode | FailureCode) =>
  `${baseUrl}${CODES_PATH}#${code}`
