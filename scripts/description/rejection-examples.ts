import type { ApiErrorCode } from '@mediamill/contract/domain/errors'
import { ApiError } from '@mediamill/contract/domain/errors'
import { LIVE_LIMITS } from '@mediamill/contract/domain/limits'
import { microUsd } from '@mediamill/contract/domain/money'
import { imagesProcess } from '@mediamill/contract/endpoints/images-process'
import { validateBody } from '@mediamill/contract/endpoints/validation'
import { listRequests } from '@mediamill/contract/routes/requests'
import { accountSuspended } from '@mediamill/server/accounts/authenticate'
import { keyExpired } from '@mediamill/server/accounts/restrictions'
import { templateNotFound } from '@mediamill/server/accounts/templates'
import { notFound, serverError } from '@mediamill/server/http/errors'
import { invalidApiKey, missingApiKey, rateLimited } from '@mediamill/server/http/hooks/authenticate'
import { queryReader } from '@mediamill/server/http/query'
import { urlsRejected } from '@mediamill/server/http/routes/check-sources'
import { paidAccountRequired } from '@mediamill/server/http/routes/processing'
import { invalidSignature, rangeNotSatisfiable, resultExpired } from '@mediamill/server/http/routes/results'
import { requestFinished } from '@mediamill/server/requests/abort'
import { concurrencyLimited, insufficientCredits, testModeDailyLimit } from '@mediamill/server/requests/accept'
import { requestNotFinished } from '@mediamill/server/requests/delete-files'
import { requestNotFound } from '@mediamill/server/requests/find'
import { keyInUse, keyReused } from '@mediamill/server/requests/idempotency'
import {
  checksumMismatch,
  contentTypeUnsupported,
  offsetMismatch,
  tusVersionUnsupported,
  uploadExpired,
  uploadInUse,
  uploadTooLarge,
} from '@mediamill/server/uploads/errors'
import { INCOMPLETE, NOT_FOUND } from '@mediamill/server/uploads/stored-source'

export const REJECTION_EXAMPLES: Record<ApiErrorCode, () => ApiError> = {
  missing_api_key: missingApiKey,
  invalid_api_key: invalidApiKey,
  insufficient_credits: () =>
    insufficientCredits(imagesProcess.price, { held: microUsd(20_000), available: microUsd(500) }),
  paid_account_required: paidAccountRequired,
  account_suspended: accountSuspended,
  invalid_signature: () => invalidSignature(),
  request_not_found: requestNotFound,
  not_found: notFound,
  request_finished: () => requestFinished('succeeded'),
  request_not_finished: requestNotFinished,
  idempotency_key_reused: keyReused,
  idempotency_key_in_use: keyInUse,
  upload_in_use: uploadInUse,
  upload_offset_mismatch: () => offsetMismatch(5_242_880),
  upload_expired: uploadExpired,
  tus_version_unsupported: tusVersionUnsupported,
  content_type_unsupported: contentTypeUnsupported,
  upload_checksum_mismatch: checksumMismatch,
  upload_not_found: () => urlsRejected([{ param: 'source', ...NOT_FOUND }]),
  upload_incomplete: () => urlsRejected([{ param: 'source', ...INCOMPLETE }]),
  upload_too_large: () => uploadTooLarge(LIVE_LIMITS.free.maxSourceBytes),
  key_restricted: () => keyExpired('2026-01-31T00:00:00.000Z'),
  template_not_found: () => templateNotFound('product@3'),
  result_expired: resultExpired,
  range_not_satisfiable: () => rangeNotSatisfiable(18_498),
  validation_failed: () =>
    thrownBy(() =>
      validateBody(imagesProcess, {
        source: 'https://example.com/photo.jpg',
        operations: [{ type: 'resize', width: 30_000, height: 600 }],
      }),
    ),
  url_invalid: () =>
    urlsRejected([
      { param: 'source', code: 'url_invalid', message: 'The URL must start with http:// or https:// and a host.' },
    ]),
  url_blocked: () =>
    urlsRejected([
      {
        param: 'source',
        code: 'url_blocked',
        message: 'The host 192.168.1.20 is not on the public internet. Send a URL that the whole internet can reach.',
      },
    ]),
  url_unresolvable: () =>
    urlsRejected([
      {
        param: 'source',
        code: 'url_unresolvable',
        message: 'The host images.example.invalid has no address. Check its spelling, or try again later.',
      },
    ]),
  rate_limited: () => rateLimited(true, { limit: LIVE_LIMITS.paid.requestsPerMinute, resetSeconds: 42 }),
  concurrency_limited: () => concurrencyLimited(LIVE_LIMITS.paid.concurrentRequests),
  test_mode_daily_limit: testModeDailyLimit,
  server_error: serverError,
}

export const INVALID_QUERY_EXAMPLE = () => thrownBy(() => queryReader(listRequests.query)({ query: { limit: '101' } }))

function thrownBy(rejected: () => unknown): ApiError {
  try {
    rejected()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('the example of an error was not rejected')
}
