import type { AbortedRequest, FailedRequest, Failure, MediaRequest } from '../api-types.ts'
import { MediamillError } from './mediamill-error.ts'

/** An accepted request has failed, free of charge. */
export class RequestFailedError extends MediamillError {
  override name = 'RequestFailedError'
  /** Stable: branch on it. */
  readonly code: Failure['code']
  /** Index of the operation that is to blame, where one is. */
  readonly operation: number | undefined
  /** Page that says what the code means. */
  readonly docUrl: string
  readonly request: FailedRequest

  constructor(request: FailedRequest) {
    super(request.error.message)
    this.code = request.error.code
    this.operation = request.error.operation
    this.docUrl = request.error.doc_url
    this.request = request
  }
}

/** A request that was waited for has been aborted, by somebody else. */
export class RequestAbortedError extends MediamillError {
  override name = 'RequestAbortedError'
  readonly request: AbortedRequest

  constructor(request: AbortedRequest) {
    super(`Request ${request.id} was aborted.`)
    this.request = request
  }
}

/** The request has not ended in the time given. It goes on, and can be waited for again. */
export class WaitTimeoutError extends MediamillError {
  override name = 'WaitTimeoutError'
  /** As it was last seen; missing when the time was over before the service had answered. */
  readonly request: MediaRequest | undefined
  readonly idempotencyKey: string | undefined

  constructor(timeoutMs: number, request: MediaRequest | undefined, idempotencyKey: string | undefined) {
    super(`${request === undefined ? 'The request' : `Request ${request.id}`} has not ended after ${timeoutMs} ms.`)
    this.request = request
    this.idempotencyKey = idempotencyKey
  }
}
