import type { ApiErrorCode, InvalidField } from '../../domain/errors.ts'
import { API_ERRORS, ApiError } from '../../domain/errors.ts'
import { validationFailed } from '../../endpoints/validation.ts'
import { errorBody } from '../errors.ts'
import { CODE_MEANINGS } from './codes.ts'
import type { Json } from './json-schema.ts'
import { ref } from './json-schema.ts'

/** Answers that refuse a call, each with the codes it may carry: one component each. */
const REFUSALS = {
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  CreditRequired: ['insufficient_credits'],
  PaidAccountRequired: ['insufficient_credits', 'paid_account_required'],
  Suspended: ['account_suspended'],
  InvalidSignature: ['invalid_signature'],
  RequestNotFound: ['request_not_found'],
  RequestFinished: ['request_finished'],
  IdempotencyConflict: ['idempotency_key_reused', 'idempotency_key_in_use'],
  Gone: ['result_expired'],
  InvalidQuery: ['validation_failed'],
  InvalidRequest: ['validation_failed', 'url_invalid', 'url_blocked', 'url_unresolvable'],
  RateLimited: ['rate_limited'],
  LimitReached: ['rate_limited', 'concurrency_limited', 'test_mode_daily_limit'],
  ServerError: ['server_error'],
} as const satisfies Record<string, readonly [ApiErrorCode, ...ApiErrorCode[]]>

export type Refusal = keyof typeof REFUSALS

/** The answers of an operation that refuse, by their status. */
export function refusals(...names: Refusal[]): Json {
  return Object.fromEntries(
    [...names, 'ServerError' as const].map((name) => [
      String(API_ERRORS[REFUSALS[name][0]]),
      { $ref: `#/components/responses/${name}` },
    ]),
  )
}

/** All of them, for `components.responses`. */
export function refusalComponents(): Json {
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, codes]) => [name, component(name, codes)]))
}

const INVALID_WIDTH: InvalidField = {
  param: 'operations.0.width',
  code: 'out_of_range',
  message: 'operations.0.width must be at most 20000.',
}
const INVALID_LIMIT: InvalidField = {
  param: 'limit',
  code: 'out_of_range',
  message: 'limit must be between 1 and 100.',
}

function component(name: string, codes: readonly ApiErrorCode[]): Json {
  const invalid = name === 'InvalidQuery' ? INVALID_LIMIT : INVALID_WIDTH
  const retry = codes.some((code) => API_ERRORS[code] === 429 || code === 'idempotency_key_in_use')
  return {
    description: codes.map((code) => `\`${code}\`: ${CODE_MEANINGS[code]}`).join(' '),
    headers: {
      'Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(retry && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/json': {
        schema: ref('Error'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: CODE_MEANINGS[code], value: exampleOf(code, invalid) }]),
        ),
      },
    },
  }
}

function exampleOf(code: ApiErrorCode, invalid: InvalidField): object {
  const error =
    code === 'validation_failed'
      ? validationFailed([invalid])
      : new ApiError(code, CODE_MEANINGS[code], code.startsWith('url_') ? { param: 'source' } : {})
  return errorBody(error, 'req_8f14e45fceea167a5a36dedd')
}
