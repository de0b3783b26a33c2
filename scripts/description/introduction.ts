import type { ApiErrorCode } from '@mediamill/contract/domain/errors'
import { API_ERRORS, CODES_PATH, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import { LIST_LIMIT, LIVE_LIMITS, TEST_LIMITS, TEST_REQUESTS_PER_DAY } from '@mediamill/contract/domain/limits'
import type { MediaType } from '@mediamill/contract/domain/media'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { schemaName } from '@mediamill/contract/lib/schema-name'
import { EXAMPLE_BASE_URL, sampleUrl } from '@mediamill/contract/objects/samples'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { supports } from '@mediamill/contract/operations/operation'
import { ERROR_MEANINGS, FAILURE_MEANINGS } from './error-texts.ts'
import { table } from './markdown.ts'

export function introduction(): string {
  return [
    WELCOME,
    FIRST_CALL,
    operations(),
    KEYS,
    FILES,
    WAITING,
    IDEMPOTENCY,
    PAGING,
    limits(),
    SIGNING,
    errorCodes(),
    failureCodes(),
  ].join('\n\n')
}

const WELCOME = `Send the public URL of an image, a video, or a PDF with a list of operations. The response is a request in status
\`queued\`. Poll it or receive a signed webhook. A completed request has a signed link to its file. Only requests that end
\`succeeded\` are charged. Test keys are free.

To generate clients, use this description [as OpenAPI 3.1](${EXAMPLE_BASE_URL}/v1/openapi.json).`

const FIRST_CALL = `## First call
Put your test key into \`$KEY\`. The photo is a sample of this service.

\`\`\`sh
curl ${EXAMPLE_BASE_URL}/v1/images/process \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"source": "${sampleUrl(EXAMPLE_BASE_URL, 'photo.jpg')}",
       "operations": [{"type": "orient"}, {"type": "resize", "width": 800, "height": 600}]}'

# Use the id of the response. Repeat until "status" is "succeeded":
curl ${EXAMPLE_BASE_URL}/v1/requests/1042 -H "Authorization: Bearer $KEY"

# The link in result.files[0].url needs no key:
curl -L -o photo.jpg "$LINK"
\`\`\`

Begin with \`orient\` for photos: cameras store the rotation of a photo in EXIF, and results have no EXIF.`

const MEDIA: Record<MediaType, string> = { image: 'Images', video: 'Videos', document: 'PDFs' }

function operations(): string {
  const rows = OPERATIONS.map((operation) => [
    `[\`${operation.name}\`](#models/${schemaName(operation.name)}Operation)`,
    operation.description,
    MEDIA_TYPES.filter((media) => supports(operation, media))
      .map((media) => MEDIA[media])
      .join(', '),
  ])
  return `## Operations
A request runs its operations in order. Each operation receives the output of the operation before.
The links lead to the parameters. \`GET /v1/operations\` returns them for programs.

${table(['Operation', 'Effect', 'Works on'], rows)}`
}

const KEYS = `## Keys
Every call has the header \`Authorization: Bearer <key>\`. A live key (\`svc_live_…\`) uses the account's credit. A test key
(\`svc_test_…\`) is free, returns real results, and has small limits. Download links are signed and need no key.`

const WAITING = `## Waiting
A request goes from \`queued\` to \`processing\` and ends \`succeeded\`, \`failed\`, or \`aborted\`. With the header
\`Prefer: wait=30\`, the call that starts a request and \`GET /v1/requests/{id}\` wait for completion for up to 30 seconds.
Alternatively, set a \`webhook_url\`, or stream each change from \`GET /v1/requests/{id}/events\`. A small image takes less
than a second, and a long video takes minutes. Results are kept for 7 days.`

const FILES = `## Your own files
Send a file to \`POST /v1/uploads\`, with any content type except JSON. The response has the value for \`source\` or
\`image_url\`. With a JSON body, the response has a signed URL instead: a browser can send the file there, whole or in
chunks. Uploads are kept for 24 hours. \`POST /v1/stamps\` draws a text watermark. A result link is also a valid source.`

const IDEMPOTENCY = `## Safe retries
Send an \`Idempotency-Key\` with each call that starts a request. If the response is lost, send the same call with the same
key again. The response is then the first request in its current state, and no second request starts. Use a new key for
each request: the same key with another body is rejected. A rejected call does not use up its key. A key is stored for
24 hours.`

const PAGING = `## Paging
\`GET /v1/requests\` returns the newest requests first, ${LIST_LIMIT.default} on a page, or up to ${LIST_LIMIT.maximum} with \`limit\`. While \`has_more\` is
true, pass the last id of the page as \`before\`.`

function limits(): string {
  const row = (name: string, { requestsPerMinute, concurrentRequests, maxSourceBytes }: typeof TEST_LIMITS) => [
    name,
    String(requestsPerMinute),
    String(concurrentRequests),
    formatBytes(maxSourceBytes),
  ]
  const rows = [
    row('test', TEST_LIMITS),
    row('live, free account', LIVE_LIMITS.free),
    row('live, paid account', LIVE_LIMITS.paid),
  ]
  return `## Limits
${table(['Key', 'Calls a minute', 'Requests at once', 'Largest source'], rows)}

Test keys start at most ${TEST_REQUESTS_PER_DAY} requests a day. Limits apply per account and mode, not per key. \`GET /v1/account\` returns
your limits. Every response has the remaining calls in \`RateLimit\`, and a 429 has the seconds to wait in \`Retry-After\`.`
}

const SIGNING = `## Webhooks and signatures
When a request is complete, the service posts an event to its \`webhook_url\`, or else to the account's URL. Return any 2xx
within 10 seconds. After any other response, the delivery is retried 3 times. Verify every event: \`Service-Signature\` is
\`t=<unix time>,v1=<hex>\`, where \`v1\` is the HMAC-SHA256 of \`<t>.<raw body>\` with the whole webhook secret as its key.
Compare in constant time, reject a \`t\` more than 5 minutes before or after the current time, and ignore an event \`id\`
that you have already received. The headers of Standard Webhooks are also sent. [Webhooks](${EXAMPLE_BASE_URL}/docs/webhooks) has receivers in three languages, and
[the API reference](${EXAMPLE_BASE_URL}/docs/reference/webhooks) has every rule.`

function errorCodes(): string {
  const rows = Object.entries(API_ERRORS).map(([code, status]) => [
    String(status),
    `\`${code}\``,
    ERROR_MEANINGS[code as ApiErrorCode],
  ])
  return `## Error codes
The response to a rejected call is an \`error\` object. Branch on its \`code\`. Its \`message\` names the fix, and its
\`doc_url\` leads to [the page of all codes](${EXAMPLE_BASE_URL}${CODES_PATH}). When you ask for help, quote \`request_id\`, which is
also in the header \`Request-Id\`.

${table(['Status', 'Code', 'Meaning'], rows)}`
}

function failureCodes(): string {
  return `## Failure codes
An accepted request that cannot be processed ends \`failed\` with one of these codes in \`error.code\`. It is not charged.

${table(
  ['Code', 'Meaning'],
  FAILURE_CODES.map((code) => [`\`${code}\``, FAILURE_MEANINGS[code]]),
)}`
}
