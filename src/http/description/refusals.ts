import { API_ERRORS, ApiError, type ApiErrorCode, type InvalidField } from '../../domain/errors.ts'
import { errorBody } from '../errors.ts'
import { CODE_MEANINGS } from './codes.ts'
import { type Json, ref } from './json-schema.ts'

/** Answers that refuse a call, each with the codes it may carry: one component each. */
const REFUSALS = {
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  PaymentRequired: ['insufficient_credits', 'paid_account_required'],
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
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, codes]) => [name, component(codes)]))
}

function component(codes: readonly ApiErrorCode[]): Json {
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
          codes.map((code) => [code, { summary: CODE_MEANINGS[code], value: exampleOf(code) }]),
        ),
      },
    },
  }
}

function exampleOf(code: ApiErrorCode): object {
  const invalid: InvalidField[] = [
    { param: 'operations.0.width', code: 'out_of_range', message: 'operations.0.width must be at most 20000.' },
  ]
  const details =
    code === 'validation_failed'
      ? { param: 'operations.0.width', errors: invalid }
      : code.startsWith('url_')
        ? { param: 'source' }
        : {}
  const message = code === 'validation_failed' ? (invalid[0]?.message ?? '') : CODE_MEANINGS[code]
  return errorBody(new ApiError(code, message, details), 'req_8f14e45fceea167a5a36dedd')
}
