import type { ApiErrorCode } from '@mediamill/contract/domain/errors'
import { ApiError, URL_ERROR_CODES } from '@mediamill/contract/domain/errors'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { STAMPS_AT_ONCE } from '@mediamill/contract/domain/rendering/stamp'
import type { StampEnd } from '../../db/uploads/stamps.ts'

export function tooManyStamps(): ApiError {
  return new ApiError(
    'concurrency_limited',
    `At most ${STAMPS_AT_ONCE} stamps of this account may be drawn at once. Wait for one to finish.`,
    { retryAfterSeconds: 1 },
  )
}

/** Refuses a stamp that was not drawn in time. Nothing is left of it, and it can be sent again. */
export function stampNotDrawn(): ApiError {
  return new ApiError('server_error', 'The stamp could not be drawn in time, and nothing of it is kept. Send it again.')
}

/** Makes a refusal of the reason why a stamp was not drawn. The field to blame is its text or its source. */
export function stampRefused(stamp: Stamp, outcome: Exclude<StampEnd['outcome'], { status: 'drawn' }>): ApiError {
  if (outcome.status === 'ours') return stampNotDrawn()
  if (outcome.code === 'concurrency_limited') return tooManyStamps()
  if (outcome.code === 'upload_too_large') return new ApiError('upload_too_large', outcome.message)
  const param = stamp.type === 'text' ? 'text' : 'source'
  const known = URL_ERROR_CODES.find((code) => code === outcome.code)
  const code: ApiErrorCode = known ?? 'validation_failed'
  const message = `${param}: ${outcome.message}`
  return new ApiError(code, message, { param, errors: [{ param, code: known ?? 'invalid_value', message }] })
}
