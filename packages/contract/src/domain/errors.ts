export const API_ERRORS = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_credits: 402,
  paid_account_required: 402,
  account_suspended: 403,
  key_restricted: 403,
  invalid_signature: 403,
  request_not_found: 404,
  not_found: 404,
  request_finished: 409,
  request_not_finished: 409,
  idempotency_key_reused: 409,
  idempotency_key_in_use: 409,
  upload_in_use: 409,
  upload_offset_mismatch: 409,
  result_expired: 410,
  upload_expired: 410,
  tus_version_unsupported: 412,
  content_type_unsupported: 415,
  range_not_satisfiable: 416,
  validation_failed: 422,
  url_invalid: 422,
  url_blocked: 422,
  url_unresolvable: 422,
  upload_not_found: 422,
  upload_incomplete: 422,
  upload_too_large: 422,
  template_not_found: 422,
  rate_limited: 429,
  concurrency_limited: 429,
  test_mode_daily_limit: 429,
  upload_checksum_mismatch: 460,
  server_error: 500,
} as const

export type ApiErrorCode = keyof typeof API_ERRORS

/** The errors that `/v1` never returns (console.errors.1). */
export const CONSOLE_ERRORS = {
  not_signed_in: 401,
  link_not_valid: 403,
  not_allowed: 403,
  cross_site: 403,
  wrong_host: 403,
  conflict: 409,
  payment_unavailable: 502,
} as const

export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS

export const ERROR_TYPES = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  415: 'invalid_request',
  416: 'invalid_request',
  422: 'invalid_request',
  429: 'rate_limited',
  460: 'invalid_request',
  500: 'server_error',
  502: 'server_error',
  503: 'server_error',
} as const

export const FAILURE_CODES = [
  'url_blocked',
  'url_invalid',
  'url_unresolvable',
  'source_unreachable',
  'source_too_large',
  'unsupported_media',
  'encrypted_document',
  'processing_failed',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** The codes of an invalid URL. They can reject a call or fail a request (sources.urls.5). */
export const URL_ERROR_CODES = ['url_invalid', 'url_blocked', 'url_unresolvable'] as const

export type UrlErrorCode = (typeof URL_ERROR_CODES)[number]

export const UPLOAD_ERROR_CODES = ['upload_not_found', 'upload_incomplete'] as const

export type SourceErrorCode = UrlErrorCode | (typeof UPLOAD_ERROR_CODES)[number]

export const INVALID_FIELD_CODES = [
  'required',
  'invalid_type',
  'invalid_value',
  'out_of_range',
  'too_short',
  'too_long',
  'unknown_parameter',
  'unknown_operation',
  'not_supported_for_media',
] as const

export type InvalidField = {
  param: string
  code: (typeof INVALID_FIELD_CODES)[number] | SourceErrorCode
  message: string
}

export const CODES_PATH = '/docs/errors'

export const docUrl = (baseUrl: string, code: ApiErrorCode | ConsoleErrorCode | FailureCode) =>
  `${baseUrl}${CODES_PATH}#${code}`

type ApiErrorDetails = {
  param?: string
  errors?: InvalidField[]
  allow?: string | undefined
  retryAfterSeconds?: number
  /** The status instead of the code's usual status, while the service cannot reach its database (errors.calls.2). */
  status?: 503
  cause?: unknown
}

const STATUSES = { ...API_ERRORS, ...CONSOLE_ERRORS }

/** Rejects a call. `message` goes to the client; `cause` goes only to the log. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ApiErrorCode | ConsoleErrorCode
  readonly status: (typeof STATUSES)[ApiErrorCode | ConsoleErrorCode] | 503
  readonly param: string | undefined
  readonly errors: InvalidField[] | undefined
  readonly allow: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ApiErrorCode | ConsoleErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status ?? STATUSES[code]
    this.param = details.param
    this.errors = details.errors
    this.allow = details.allow
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** Fails an accepted request. `message` goes to the client and includes the fix. `cause` goes only to the log. */
export class RequestFailure extends Error {
  override name = 'RequestFailure'
  readonly code: FailureCode
  readonly operation: number | undefined
  readonly output: string | undefined

  constructor(
    code: FailureCode,
    message: string,
    details: { operation?: number | undefined; output?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.code = code
    this.operation = details.operation
    this.output = details.output
  }
}

export function failureOfOutput(output: string, error: unknown): unknown {
  if (!(error instanceof RequestFailure)) return error
  const { code, message, operation, cause } = error
  return new RequestFailure(code, `Output ${JSON.stringify(output)}: ${message}`, { output, operation, cause })
}

/** Fails a command, or the server's start, for a reason the operator can fix. `message` is one line without secrets. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}
