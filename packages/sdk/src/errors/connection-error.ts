import { MediamillError } from './mediamill-error.ts'

/** The service could not be reached, or the connection ended before the response was complete. */
export class ConnectionError extends MediamillError {
  override name = 'ConnectionError'
  /**
   * The Idempotency-Key of a call that starts work. Send the call again with the same key to avoid a second request.
   */
  readonly idempotencyKey: string | undefined

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause })
    this.idempotencyKey = options.idempotencyKey
  }
}

/** The response did not arrive before the timeout. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}
