import type { ApiErrorCode, FailureCode } from '@mediamill/contract/domain/errors'

export const ERROR_MEANINGS: Record<ApiErrorCode, string> = {
  missing_api_key: 'The call has no key.',
  invalid_api_key: 'The key is unknown or revoked.',
  insufficient_credits: 'Available credit (balance minus holds) is lower than the price.',
  paid_account_required: 'The endpoint needs an account that has bought credit.',
  account_suspended: 'The account is suspended.',
  key_restricted: 'A restriction of the key does not allow the call.',
  invalid_signature: 'The download link or upload URL is invalid or was changed.',
  request_not_found: 'The account has no request with this id.',
  not_found: 'No route has this method and path.',
  request_finished: 'The request has finished and cannot be aborted.',
  request_not_finished: 'The request has not finished, so it has no files.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body, or on another endpoint.',
  idempotency_key_in_use: 'A call with the same Idempotency-Key is in progress.',
  upload_in_use: 'An open request uses the upload.',
  upload_offset_mismatch: 'The chunk does not start at the current offset of the upload.',
  upload_expired: 'The upload has expired or was deleted.',
  tus_version_unsupported: 'Only tus 1.0.0 is supported.',
  content_type_unsupported: 'Wrong Content-Type on an upload chunk.',
  upload_checksum_mismatch: 'The received bytes do not match `Upload-Checksum`.',
  result_expired: 'The link has expired, or its file was deleted.',
  range_not_satisfiable: 'The requested range contains no byte of the file.',
  validation_failed: 'The body, a header, or a query parameter is invalid; `errors` lists every invalid field.',
  url_invalid: 'A URL is not a well-formed http or https URL on its default port.',
  url_blocked: 'A URL points to an address that is not public, or that the operator of the service blocks.',
  url_unresolvable: 'The host of a URL has no address.',
  upload_not_found: 'The account has no upload with this id in the mode of the key, or the upload has expired.',
  upload_incomplete: 'The upload is incomplete.',
  upload_too_large: 'The file is larger than the limit, or exceeds the upload quota of the account.',
  template_not_found: 'The account has no such template, or not this version.',
  rate_limited:
    'The account made too many calls in the last 60 seconds. Calls with live keys and with test keys are counted separately. `Retry-After` has the seconds to wait.',
  concurrency_limited: 'The account has reached its limit of concurrent requests or concurrent uploads.',
  test_mode_daily_limit: 'Test keys have reached their daily limit of requests.',
  server_error: 'Internal error.',
}

export const FAILURE_MEANINGS: Record<FailureCode, string> = {
  url_blocked:
    'The source or a watermark image, or a redirect from it, points to an address that is not public, or that the operator of the service blocks.',
  url_invalid: 'The source or a watermark image redirects to a URL that is not well-formed.',
  url_unresolvable: 'The host of the source or of a watermark image has no address.',
  source_unreachable: 'The source could not be downloaded, for example: not found, timeout, or connection error.',
  source_too_large: "The source is larger than the account's tier allows.",
  unsupported_media: 'The endpoint does not support the format of the file.',
  encrypted_document: 'The PDF requires a password.',
  processing_failed: 'The file could not be processed; the message includes the reason.',
}

export const ERROR_FIXES: Record<ApiErrorCode | FailureCode, string> = {
  missing_api_key: 'Send your key in the header `Authorization: Bearer <API_KEY>`.',
  invalid_api_key: 'Use an active key. Check for truncation or stray quotes.',
  insufficient_credits:
    'Buy credit, or wait for running requests: unused holds are released when they finish. On your own service, add credit with `mediamill account credit ACCOUNT 25.00`.',
  paid_account_required:
    'Buy credit. On your own service, add it with `mediamill account credit ACCOUNT 25.00`. Images and PDFs do not need bought credit.',
  account_suspended: 'Contact the operator of the service.',
  key_restricted: 'Use another key. The message names the restriction.',
  invalid_signature: 'Get the request again, and use `result.files[].url` unchanged. The same applies to `upload_url`.',
  request_not_found: 'Check the id, and that the key belongs to the account of the request.',
  not_found:
    'Compare method and path with the API reference. The message names similar routes. The header `Allow` lists the methods of the path.',
  request_finished: 'Get the request: its status is final.',
  request_not_finished: 'Abort the request, or wait until it has finished.',
  idempotency_key_reused: 'Use a new key for a new request. To repeat a request, send exactly the same call.',
  idempotency_key_in_use: 'Send the call again after `Retry-After`.',
  result_expired: 'Run the request again.',
  upload_in_use: 'Delete it after the request has finished, or abort the request first.',
  upload_offset_mismatch: 'Get the offset with `HEAD`, and continue from there.',
  upload_expired: 'Create a new upload.',
  tus_version_unsupported: 'Send `Tus-Resumable: 1.0.0`.',
  content_type_unsupported: 'Send the chunk with `Content-Type: application/offset+octet-stream`.',
  upload_checksum_mismatch: 'Send the chunk again.',
  upload_not_found: 'Upload the file again, with a key of the same account and mode.',
  upload_incomplete: 'Send the rest of the file, then repeat the call.',
  upload_too_large:
    'Send a smaller file, or delete uploads. Send `Content-Length`: without it, the largest allowed size is reserved during the upload.',
  template_not_found: 'Check the name and the version. `GET /v1/templates` lists the templates of the account.',
  range_not_satisfiable: 'Request bytes below the size in `Content-Range`.',
  validation_failed: 'Fix every field in `errors`. Each message includes the valid values.',
  url_invalid: 'Send a URL that starts with http:// or https://, without a port, a user name, or spaces.',
  url_blocked:
    'Use a public URL, or another host if the operator blocks the host. Operators can allow their own hosts with `ALLOWED_PRIVATE_HOSTS`.',
  url_unresolvable: 'Check the spelling of the host name. If it is correct, try again.',
  rate_limited: 'Wait for `Retry-After`, and send calls at a lower rate.',
  concurrency_limited: 'Wait for a request, or an upload, to finish.',
  test_mode_daily_limit: 'Use a live key, or wait for midnight UTC.',
  server_error:
    'Repeat the call, with the same `Idempotency-Key` if it starts a request. If the error persists, report the `request_id` to the operator.',
  source_unreachable: 'Open the URL in a private browser window. It must return status 200 and the file, quickly.',
  source_too_large: 'Send a smaller file, or use an account with a higher limit, which `GET /v1/account` returns.',
  unsupported_media:
    'Send a supported format. The content of the file counts, not its name; the message includes the detected format.',
  encrypted_document: 'Remove the password and try again.',
  processing_failed: 'Follow the fix in the message. A damaged file must be exported again.',
}
