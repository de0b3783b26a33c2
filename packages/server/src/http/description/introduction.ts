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
import { CODE_MEANINGS, FAILURE_MEANINGS } from './codes.ts'

/** The front page of the description, in Markdown. */
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

const table = (headings: string[], rows: string[][]) =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const WELCOME = `Send the public URL of an image, a video or a PDF, and say what to do with it. The answer is a request in status
\`queued\`. Ask for it again, or take a signed webhook, until it has finished; then it holds a signed link to its file.
Only requests that end \`succeeded\` are charged, and everything run with a test key is free.

This description is also there [for programs](${EXAMPLE_BASE_URL}/v1/openapi.json): OpenAPI 3.1, to generate clients from.`

const FIRST_CALL = `## First call
Put your test key into \`$KEY\`. The photo is one that this service serves for trying out.

\`\`\`sh
curl ${EXAMPLE_BASE_URL}/v1/images/process \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"source": "${sampleUrl(EXAMPLE_BASE_URL, 'photo.jpg')}",
       "operations": [{"type": "orient"}, {"type": "resize", "width": 800, "height": 600}]}'

# The id of the answer, until "status" is "succeeded":
curl ${EXAMPLE_BASE_URL}/v1/requests/1042 -H "Authorization: Bearer $KEY"

# The link in result.files[0].url needs no key:
curl -L -o photo.jpg "$LINK"
\`\`\`

Begin with \`orient\` for photos: cameras store them as the sensor lay and note in EXIF how to turn them, and results carry
no EXIF.`

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
A request runs its list of operations from the first to the last, each on what the one before left.
Each leads to its parameters; \`GET /v1/operations\` lists them for programs.

${table(['Operation', 'What it does', 'Works on'], rows)}`
}

const KEYS = `## Keys
Every call carries \`Authorization: Bearer <key>\`. A live key (\`svc_live_…\`) runs on the account's credit. A test key
(\`svc_test_…\`) is free, gives real results and has small limits. Download links need no key: they are signed.`

const WAITING = `## Waiting
A request goes from \`queued\` to \`processing\` and ends \`succeeded\`, \`failed\` or \`aborted\`. With the
header \`Prefer: wait=30\` the call that starts it, or \`GET /v1/requests/{id}\`, is answered when it has ended, or after 30
seconds with the request as it is then. Or name a \`webhook_url\` and be told; \`GET /v1/requests/{id}/events\` tells of each
step. A small image takes well under a second, a long video minutes. Results are kept for 7 days.`

const FILES = `## Files of your own
Send the bytes of a file to \`POST /v1/uploads\`, with any content type but JSON, and its answer says what to send as \`source\`
or \`image_url\`. With a JSON body the answer has a signed URL instead, which a browser sends the file to, also piece by piece.
Uploads are kept for 24 hours. \`POST /v1/stamps\` makes a watermark image of a text; a result link is a source as well.`

const IDEMPOTENCY = `## Safe retries
Send an \`Idempotency-Key\` of your own with a call that starts something. When the answer is lost, send the same call again
with the same key: it returns the first request, as it is now, and starts no second one. Use a new key for a new request; the same key with another body is refused.
A call that was refused leaves its key free. Keys are remembered for 24 hours.`

const PAGING = `## Paging
\`GET /v1/requests\` shows the newest requests first, ${LIST_LIMIT.default} on a page, at most ${LIST_LIMIT.maximum} with \`limit\`. While \`has_more\` is true, pass
the last id of the page as \`before\`.`

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

Test keys start at most ${TEST_REQUESTS_PER_DAY} requests a day. Limits are counted by account and mode, not by key; your own are in
\`GET /v1/account\`. Every answer says in \`RateLimit\` how many calls are left, and a 429 in \`Retry-After\` when to try again.`
}

const SIGNING = `## Webhooks and signatures
When a request has finished, an event is posted to its \`webhook_url\`, or else to the account's. Answer with any 2xx within
10 seconds; anything else is tried again 3 times. Check every event before you trust it: \`Service-Signature\` is
\`t=<unix time>,v1=<hex>\`, where \`v1\` is the HMAC-SHA256 of \`<t>.<raw body>\`, keyed with the whole webhook secret. Compare in
constant time, refuse a \`t\` more than 5 minutes from now, and ignore an event \`id\` that you have seen. Libraries for Standard
Webhooks find their headers too. [Webhooks](${EXAMPLE_BASE_URL}/docs/webhooks) has receivers in three languages, and
[the API reference](${EXAMPLE_BASE_URL}/docs/reference/webhooks) has every rule.`

function errorCodes(): string {
  const rows = Object.entries(API_ERRORS).map(([code, status]) => [
    String(status),
    `\`${code}\``,
    CODE_MEANINGS[code as ApiErrorCode],
  ])
  return `## Error codes
Every refused call is answered with an \`error\` object. Branch on its \`code\`; its \`message\` says what to do, and its
\`doc_url\` leads to [a page](${EXAMPLE_BASE_URL}${CODES_PATH}) that tells more of each code. Quote \`request_id\`, which is also in
the header \`Request-Id\`, when you ask for help.

${table(['Status', 'Code', 'Meaning'], rows)}`
}

function failureCodes(): string {
  return `## Failure codes
An accepted request that cannot be processed ends \`failed\`, with one of these in its \`error.code\`. It is not charged.

${table(
  ['Code', 'Meaning'],
  FAILURE_CODES.map((code) => [`\`${code}\``, FAILURE_MEANINGS[code]]),
)}`
}
