import type { ErrorDetails, InvalidField } from '../api-types.ts'
import { MediamillError } from './mediamill-error.ts'

/** What is known of an answer that refuses a call. */
export type Refusal = {
  status: number
  details: Partial<ErrorDetails>
  requestId: string | undefined
  retryAfterSeconds: number | undefined
  idempotencyKey: string | undefined
}

/** A call was refused: it has started and charged nothing. */
export class ApiError extends MediamillError {
  override name = 'ApiError'
  readonly status: number
  readonly type: ErrorDetails['type']
  /** Stable: branch on it. `unknown` when something other than the service answered. */
  readonly code: ErrorDetails['code']
  /** Dotted path of the field that is wrong. */
  readonly param: string | undefined
  /** Every field that is wrong. */
  readonly errors: readonly InvalidField[]
  /** Page that says what the code means. */
  readonly docUrl: string | undefined
  /** Id of the call: quote it when you ask for help. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Key of the call, where it starts work: with the same one it can be sent again. */
  readonly idempotencyKey: string | undefined

  constructor({ status, details, requestId, retryAfterSeconds, idempotencyKey }: Refusal) {
    super(details.message ?? `The service answered with status ${status}.`)
    this.status = status
    this.type = details.type ?? (status < 500 ? 'invalid_request' : 'server_error')
    this.code = details.code ?? 'unknown'
    this.param = details.param
    this.errors = details.errors ?? []
    this.docUrl = details.doc_url
    this.requestId = requestId ?? details.request_id
    this.retryAfterSeconds = retryAfterSeconds
    this.idempotencyKey = idempotencyKey
  }
}

/** The key is missing, unknown or revoked (401). */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** The credit does not suffice, or the account never bought any (402). */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError'
}

/** The account is suspended, or a signed link was changed (403). */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** There is no such thing in this account (404). */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** What is asked for does not go with the state of things (409). */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** It was here, and is no more (410). */
export class GoneError extends ApiError {
  override name = 'GoneError'
}

/** Something in the call is wrong; `errors` names every field (422). */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}

/** Too many calls, or too much at once (429). */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
}

/** The service is at fault (500). */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

const CLASSES: Record<string, typeof ApiError> = {
  authentication: AuthenticationError,
  payment_required: PaymentRequiredError,
  permission: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  gone: GoneError,
  invalid_request: InvalidRequestError,
  rate_limited: RateLimitedError,
  server_error: ServerError,
}

/** Makes the error of a refusal, of the class that its type has. */
export function apiErrorOf(refusal: Refusal): ApiError {
  const type = refusal.details.type ?? (refusal.status >= 500 ? 'server_error' : '')
  return new (CLASSES[type] ?? ApiError)(refusal)
}
