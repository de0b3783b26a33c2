import { ApiError } from '@mediamill/contract/domain/errors'
import { SHORT_CHUNKS, UPLOADS_AT_ONCE } from '@mediamill/contract/domain/uploads'
import { formatBytes } from '@mediamill/contract/lib/format-text'

export function uploadTooLarge(maxBytes: number): ApiError {
  return new ApiError('upload_too_large', `The upload is larger than the limit of ${formatBytes(maxBytes)}.`)
}

export function quotaExceeded(bytes: number, quota?: { takenBytes: number; quotaBytes: number }): ApiError {
  const use =
    quota === undefined
      ? 'would exceed its quota'
      : `use ${formatBytes(quota.takenBytes)} of ${formatBytes(quota.quotaBytes)}`
  return new ApiError(
    'upload_too_large',
    `An upload of ${formatBytes(bytes)} does not fit: the uploads of this account ${use}. Delete uploads or wait until they expire. Send a Content-Length header to reserve only the size of the file.`,
  )
}

export function tooManyUploads(): ApiError {
  return new ApiError(
    'concurrency_limited',
    `This account already sends ${UPLOADS_AT_ONCE.account} uploads in parallel, which is the limit. Wait until an upload finishes.`,
    { retryAfterSeconds: 1 },
  )
}

export function serverIsFull(): ApiError {
  return new ApiError(
    'concurrency_limited',
    'The service is receiving too many uploads at the moment. Try again in 1 second.',
    {
      retryAfterSeconds: 1,
    },
  )
}

export function compressedUpload(): ApiError {
  return new ApiError('validation_failed', 'Send the file as it is, without a Content-Encoding header.')
}

export function emptyUpload(): ApiError {
  return new ApiError('validation_failed', 'The upload is empty: send the bytes of the file as the body.')
}

export function uploadInUse(): ApiError {
  return new ApiError(
    'upload_in_use',
    'A request that is queued or processing uses this upload. Delete the upload after the request has finished.',
  )
}

export function noSuchUpload(): ApiError {
  return new ApiError('not_found', 'There is no upload with this id in this account and mode.')
}

export function uploadExpired(): ApiError {
  return new ApiError('upload_expired', 'This upload has expired or was deleted. Create a new upload.')
}

export function offsetMismatch(received: number): ApiError {
  return new ApiError(
    'upload_offset_mismatch',
    `The service has already received ${received} bytes of this upload. Send a HEAD request for the current offset, and continue there.`,
  )
}

export function tooManyShortChunks(): ApiError {
  const { bytes, chunks } = SHORT_CHUNKS
  return new ApiError(
    'validation_failed',
    `This upload already has ${chunks} chunks below ${bytes} bytes. Send chunks of at least ${bytes} bytes; only the last one may be smaller.`,
  )
}

export function tusVersionUnsupported(): ApiError {
  return new ApiError('tus_version_unsupported', 'Send the header Tus-Resumable: 1.0.0.')
}

export function contentTypeUnsupported(): ApiError {
  return new ApiError('content_type_unsupported', 'Send chunks with Content-Type: application/offset+octet-stream.')
}

export function checksumMismatch(): ApiError {
  return new ApiError(
    'upload_checksum_mismatch',
    'The chunk does not match its checksum and was not stored. Send the chunk again.',
  )
}
