import type { ApiErrorCode } from '@mediamill/contract/domain/errors'
import { ApiError, URL_ERROR_CODES } from '@mediamill/contract/domain/errors'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { STAMPS_AT_ONCE } from '@mediamill/contract/domain/rendering/stamp'
import type { StampEnd } from '../../db/uploads/stamps.ts'

export function tooManyStamps(): ApiError {
  return new ApiError(
    'concurrency_limited',
    `This account already has ${STAMPS_AT_ONCE} text watermarks in progress, which is the limit. Wait until one finishes.`,
    { retryAfterSeconds: 1 },
  )
}

/** Returns the error for a text watermark that was not drawn. No image was stored, so the client can retry. */
export function stampNotDrawn(): ApiError {
  return new ApiError('server_error', 'The text watermark was not drawn in time. Send the call again.')
}

export function stampError(stamp: Stamp, outcome: Exclude<StampEnd['outcome'], { status: 'drawn' }>): ApiError {
  if (outcome.status === 'ours') return stampNotDrawn()
  if (outcome.code === 'concurrency_limited') return tooManyStamps()
  if (outcome.code === 'upload_too_large') return new ApiError('upload_too_large', outcome.message)
  const param = stamp.type === 'text' ? 'text' : 'source'
  const known = URL_ERROR_CODES.find((code) => code === outcome.code)
  const code: ApiErrorCode = known ?? 'validation_failed'
  const message = `${param}: ${outcome.message}`
  return new ApiError(code, message, { param, errors: [{ param, code: known ?? 'invalid_value', message }] })
}
