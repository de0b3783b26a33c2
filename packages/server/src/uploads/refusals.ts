import { ApiError } from '@mediamill/contract/domain/errors'
import { SHORT_CHUNKS, UPLOADS_AT_ONCE } from '@mediamill/contract/domain/uploads'
import { formatBytes } from '@mediamill/contract/lib/format-text'

export function uploadTooLarge(maxBytes: number): ApiError {
  return new ApiError('upload_too_large', `The upload is larger than ${formatBytes(maxBytes)}, the most it may have.`)
}

/** Words the refusal of an upload that does not fit into the account's room. */
export function noRoomFor(
  bytes: number,
  { takenBytes, roomBytes }: { takenBytes: number; roomBytes: number },
): ApiError {
  return new ApiError(
    'upload_too_large',
    `An upload of ${formatBytes(bytes)} does not fit: uploads of this account hold ${formatBytes(takenBytes)} of the ${formatBytes(roomBytes)} that it may keep. Delete some, or wait until they expire; a Content-Length reserves no more than the file.`,
  )
}

export function tooManyUploads(): ApiError {
  return new ApiError(
    'concurrency_limited',
    `At most ${UPLOADS_AT_ONCE.account} uploads of this account may be on their way at once. Wait for one to finish.`,
    { retryAfterSeconds: 1 },
  )
}

export function emptyUpload(): ApiError {
  return new ApiError('validation_failed', 'The upload is empty: send the bytes of the file as the body.')
}

export function brokenUpload(why: string, cause?: unknown): ApiError {
  return new ApiError('validation_failed', `The upload did not arrive whole: ${why}. Send it again.`, { cause })
}

export function uploadInUse(): ApiError {
  return new ApiError('upload_in_use', 'A request that is queued or processing uses this upload. Delete it afterwards.')
}

/** An id in a path that is no upload of the caller's account and mode. */
export function noSuchUpload(): ApiError {
  return new ApiError('not_found', 'There is no upload with this id in this account and mode.')
}

export function uploadExpired(): ApiError {
  return new ApiError('upload_expired', 'This upload is over: its time has passed, or it was deleted. Begin a new one.')
}

export function offsetMismatch(received: number): ApiError {
  return new ApiError(
    'upload_offset_mismatch',
    `The upload goes on at byte ${received}: ask with HEAD, and send from there.`,
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
  return new ApiError('content_type_unsupported', 'Send a piece with Content-Type: application/offset+octet-stream.')
}

export function checksumMismatch(): ApiError {
  return new ApiError('upload_checksum_mismatch', 'The piece arrived damaged and was not kept: send it again.')
}
