import type { ApiErrorCode, FailureCode } from '@mediamill/contract/domain/errors'

/** The meaning of each code of Spec 7.1, for people. */
export const CODE_MEANINGS: Record<ApiErrorCode, string> = {
  missing_api_key: 'The call carries no key.',
  invalid_api_key: 'The key is not one of ours, or it was revoked.',
  insufficient_credits: 'The credit that is not held by open requests is below the price.',
  paid_account_required: 'The endpoint needs an account that has bought credit.',
  account_suspended: 'The account is suspended.',
  invalid_signature: 'The download link or upload URL is not one of ours, or it was changed.',
  request_not_found: 'There is no request with this id in the account.',
  not_found: 'There is nothing at this path with this method.',
  request_finished: 'The request has finished; it cannot be aborted any more.',
  request_not_finished: 'The request has not finished, so it has no files.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body, or on another endpoint.',
  idempotency_key_in_use: 'A call with the same Idempotency-Key is being answered right now.',
  upload_in_use: 'An open request uses the upload.',
  upload_offset_mismatch: 'The upload does not go on at this byte.',
  upload_expired: 'The upload is over: its time has passed, or it was deleted.',
  tus_version_unsupported: 'The resumable upload is of another version of tus than 1.0.0.',
  content_type_unsupported: 'A piece of a resumable upload has another Content-Type than it must have.',
  upload_checksum_mismatch: 'The bytes that came do not have the checksum that was sent.',
  result_expired: 'The link has expired, or the file behind it was deleted.',
  range_not_satisfiable: 'No byte of the file is in the range that was asked for.',
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

/** The meaning of each code of Spec 7.2. */
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

/** The way out of each code, for people. */
export const WAYS_OUT: Record<ApiErrorCode | FailureCode, string> = {
  missing_api_key: 'Send your key in the header `Authorization: Bearer <API_KEY>`.',
  invalid_api_key: 'Use a key of your account that is not revoked; look for a cut end or a quotation mark too many.',
  insufficient_credits: 'Buy credit, or let running requests finish: what they hold and do not need comes free.',
  paid_account_required: 'Buy credit. It is not needed for images and PDFs.',
  account_suspended: 'Ask the operator of the service.',
  invalid_signature:
    'Read the request again, and use `result.files[].url` as it is, without a character less; likewise `upload_url`.',
  request_not_found: 'Look at the id, and whether the key belongs to the account that made the request.',
  not_found:
    'Compare method and path with the description; the message names what is near, and `Allow` what a path takes.',
  request_finished: 'Read the request: it is final.',
  request_not_finished: 'Abort the request, or wait for its end.',
  idempotency_key_reused: 'Use a new key for a new request; send the very same call to repeat one.',
  idempotency_key_in_use: 'Send the call again after `Retry-After`.',
  result_expired: 'Run the request again.',
  upload_in_use: 'Delete it when the request has ended, or abort that first.',
  upload_offset_mismatch: 'Ask with `HEAD` how much has come, and go on from there.',
  upload_expired: 'Begin a new upload.',
  tus_version_unsupported: 'Send `Tus-Resumable: 1.0.0`.',
  content_type_unsupported: 'Send the piece with `Content-Type: application/offset+octet-stream`.',
  upload_checksum_mismatch: 'Send the piece again.',
  upload_not_found: 'Send the file again, with a key of the same account and mode.',
  upload_incomplete: 'Send the rest of the file, then the call again.',
  upload_too_large:
    'Send a smaller file, or delete uploads; with a `Content-Length` one takes no more room than it needs.',
  range_not_satisfiable: 'Ask for bytes below the size that `Content-Range` tells.',
  validation_failed: 'Correct every field that `errors` lists; each message says what is allowed.',
  url_invalid: 'Send a URL that begins with http:// or https://, without a port, a user name or blanks.',
  url_blocked:
    'Put the file where the internet reaches it. Operators exempt hosts of theirs by `ALLOWED_PRIVATE_HOSTS`.',
  url_unresolvable: 'Look how the host is spelt; if it is right, try again.',
  rate_limited: 'Wait for `Retry-After`, and send calls at a steadier pace.',
  concurrency_limited: 'Wait for a request, or an upload, to finish.',
  test_mode_daily_limit: 'Use a live key, or wait for midnight UTC.',
  server_error:
    'Send the call again, with the same `Idempotency-Key` if it starts something. If it stays, tell the operator the `request_id`.',
  source_unreachable:
    'Open the URL without being signed in anywhere: it has to answer with status 200 and the file, quickly.',
  source_too_large: 'Send a smaller file, or use an account whose limit is higher: `GET /v1/account` shows it.',
  unsupported_media:
    'Send a file of a format that the endpoint takes, whatever its name says; the message tells what it was.',
  encrypted_document: 'Take the password off and send it again.',
  processing_failed: 'The message says what to change. A damaged file has to be made anew.',
}
