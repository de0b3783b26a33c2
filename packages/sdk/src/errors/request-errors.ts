import type { AbortedRequest, FailedRequest, Failure, MediaRequest } from '../api-types.ts'
import { MediamillError } from './mediamill-error.ts'

/** An accepted request failed. It is not charged. */
export class RequestFailedError extends MediamillError {
  override name = 'RequestFailedError'
  /** Stable code: branch on it. */
  readonly code: Failure['code']
  /** Index of the operation that failed, if an operation failed. */
  readonly operation: number | undefined
  /** Page that explains the code. */
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

/** Another client aborted the request while this client waited for it. */
export class RequestAbortedError extends MediamillError {
  override name = 'RequestAbortedError'
  readonly request: AbortedRequest

  constructor(request: AbortedRequest) {
    super(`Request ${request.id} was aborted.`)
    this.request = request
  }
}

/** The request did not finish before the timeout. It continues, and you can wait for it again. */
export class WaitTimeoutError extends MediamillError {
  override name = 'WaitTimeoutError'
  /** The last known state; missing if the service did not respond before the timeout. */
  readonly request: MediaRequest | undefined
  readonly idempotencyKey: string | undefined

  constructor(timeoutMs: number, request: MediaRequest | undefined, idempotencyKey: string | undefined) {
    super(`${request === undefined ? 'The request' : `Request ${request.id}`} has not ended after ${timeoutMs} ms.`)
    this.request = request
    this.idempotencyKey = idempotencyKey
  }
}
