import type { AbortedRequest, FailedRequest, Failure, MediaRequest } from '../api-types.ts'
import { MediamillError } from './mediamill-error.ts'

/** An accepted request failed. A failed request is not charged. */
export class RequestFailedError extends MediamillError {
  override name = 'RequestFailedError'
  /** Stable error code for programs. */
  readonly code: Failure['code']
  /** The index of the operation that failed, or `undefined` if no operation caused the failure. */
  readonly operation: number | undefined
  /** URL of the page that explains the code. */
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

/** The request was aborted, for example by another program, so it has no result. */
export class RequestAbortedError extends MediamillError {
  override name = 'RequestAbortedError'
  readonly request: AbortedRequest

  constructor(request: AbortedRequest) {
    super(`Request ${request.id} was aborted.`)
    this.request = request
  }
}

/** The request did not finish before the timeout. The request continues, and you can wait for it again. */
export class WaitTimeoutError extends MediamillError {
  override name = 'WaitTimeoutError'
  /** The last known state of the request, or `undefined` if the service did not respond before the timeout. */
  readonly request: MediaRequest | undefined
  readonly idempotencyKey: string | undefined

  constructor(timeoutMs: number, request: MediaRequest | undefined, idempotencyKey: string | undefined) {
    super(`${request === undefined ? 'The request' : `Request ${request.id}`} has not ended after ${timeoutMs} ms.`)
    this.request = request
    this.idempotencyKey = idempotencyKey
  }
}
