import type { ApiErrorCode, FailureCode } from '../../domain/errors.ts'

/** What each code of Spec 7.1 means, for people. */
export const CODE_MEANINGS: Record<ApiErrorCode, string> = {
  missing_api_key: 'The call carries no key.',
  invalid_api_key: 'The key is not one of ours, or it was revoked.',
  insufficient_credits: 'The credit that is not held by open requests is below the price.',
  paid_account_required: 'The endpoint needs an account that has bought credit.',
  account_suspended: 'The account is suspended.',
  invalid_signature: 'The download link is not one of ours, or it was changed.',
  request_not_found: 'There is no request with this id in the account.',
  not_found: 'There is nothing at this path with this method.',
  request_finished: 'The request has finished; it cannot be aborted any more.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body.',
  idempotency_key_in_use: 'A call with the same Idempotency-Key is being answered right now.',
  upload_in_use: 'An open request uses the upload.',
  upload_offset_mismatch: 'The upload does not go on at this byte.',
  upload_expired: 'The upload is over: its time has passed, or it was deleted.',
  tus_version_unsupported: 'The resumable upload is of another version of tus than 1.0.0.',
  content_type_unsupported: 'A piece of a resumable upload has another Content-Type than it must have.',
  upload_checksum_mismatch: 'The bytes that came do not have the checksum that was sent.',
  result_expired: 'The link has expired, or the file behind it was deleted.',
  validation_failed: 'The body, a header or a query parameter is wrong; `errors` lists every invalid field.',
  url_invalid: 'A URL is not a well-formed http or https URL on its default port.',
  url_blocked: 'A URL points to an address that is not public.',
  url_unresolvable: "A URL's host has no address.",
  upload_not_found: 'There is no such upload in the account and mode, or its time is over.',
  upload_incomplete: 'The upload is still to come, or a part of it.',
  upload_too_large: 'The file is larger than allowed, or the account has no room for it.',
  rate_limited: 'Too many calls in the last 60 seconds; `Retry-After` says when to try again.',
  concurrency_limited:
    "Too many of the account's requests are queued or processing, or too many of its uploads are on their way.",
  test_mode_daily_limit: 'Test keys have started as many requests today as they may.',
  server_error: 'A fault of the service.',
}

/** What each code of Spec 7.2 means. */
export const FAILURE_MEANINGS: Record<FailureCode, string> = {
  url_blocked: 'The source or a watermark image, or a redirect from it, points to an address that is not public.',
  url_invalid: 'The source or a watermark image redirects to a URL that is not well-formed.',
  url_unresolvable: "The source's or a watermark image's host has no address any more.",
  source_unreachable: 'The source could not be downloaded: not found, timed out, refused.',
  source_too_large: "The source is larger than the account's tier allows.",
  unsupported_media: 'The file is not of a format that the endpoint takes.',
  encrypted_document: 'The PDF asks for a password.',
  processing_failed: 'The file could not be processed; the message says why.',
}
