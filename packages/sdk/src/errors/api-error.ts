import type { ErrorDetails, InvalidField } from '../api-types.ts'
import { MediamillError } from './mediamill-error.ts'

export type Rejection = {
  status: number
  details: Partial<ErrorDetails>
  requestId: string | undefined
  retryAfterSeconds: number | undefined
  idempotencyKey: string | undefined
}

/** The service rejected a call. The call started no request and is not charged. */
export class ApiError extends MediamillError {
  override name = 'ApiError'
  readonly status: number
  readonly type: ErrorDetails['type']
  /** A stable error code for programs. If a proxy instead of the service sent the response, the code is `unknown`. */
  readonly code: ErrorDetails['code']
  /** The path of the first invalid field, such as `operations.0.width`. */
  readonly param: string | undefined
  /** All invalid fields. */
  readonly errors: readonly InvalidField[]
  /** URL of the page that explains the code. */
  readonly docUrl: string | undefined
  /** Id of this call. Include the id when you ask for help. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The `Idempotency-Key` of the call. To retry without starting a second request, repeat the call with this key. */
  readonly idempotencyKey: string | undefined

  constructor({ status, details, requestId, retryAfterSeconds, idempotencyKey }: Rejection) {
    super(details.message ?? `The service returned status ${status}.`)
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

/** The API key is missing, unknown, or revoked (401). */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** The credit is too low, or the account has never bought credit (402). */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError'
}

/** The account is suspended, the key is restricted, or a signed link was changed (403). */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** The account has no such object, or the path does not exist (404). */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** The call conflicts with the current state (409). */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** The object no longer exists (410). */
export class GoneError extends ApiError {
  override name = 'GoneError'
}

/** The call has invalid fields; `errors` lists each field (422). */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}

/** The account made too many calls in a minute, or has too many open requests or uploads (429). */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
}

/** The service failed (500), or cannot reach its database (503). */
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

export function apiErrorOf(rejection: Rejection): ApiError {
  const type = rejection.details.type ?? (rejection.status >= 500 ? 'server_error' : '')
  return new (CLASSES[type] ?? ApiError)(rejection)
}
