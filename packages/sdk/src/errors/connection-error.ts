import { MediamillError } from './mediamill-error.ts'

/** The service could not be reached, or the connection ended before the response was complete. */
export class ConnectionError extends MediamillError {
  override name = 'ConnectionError'
  /** The `Idempotency-Key` of the call. To retry without starting a second request, repeat the call with this key. */
  readonly idempotencyKey: string | undefined

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause })
    this.idempotencyKey = options.idempotencyKey
  }
}

/** The response, or the next bytes of a download, did not arrive before the timeout. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}
