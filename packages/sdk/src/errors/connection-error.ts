import { MediamillError } from './mediamill-error.ts'

/** The service was not reached, or the connection ended before the response did. */
export class ConnectionError extends MediamillError {
  override name = 'ConnectionError'
  /** Key of the call, where it starts work: sent again with the same one, nothing is done twice. */
  readonly idempotencyKey: string | undefined

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause })
    this.idempotencyKey = options.idempotencyKey
  }
}

/** The response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}
