import type { OutputFormat } from '../domain/media.ts'
import { CONTENT_TYPES, OUTPUT } from '../domain/media.ts'
import { toDollars } from '../domain/money.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { sentSchema } from '../endpoints/validation.ts'
import { schemaName } from '../lib/schema-name.ts'
import { estimate } from '../objects/estimate.ts'
import { exampleBody, exampleEstimate, exampleQueued, exampleSucceeded } from '../objects/examples.ts'
import { requestOf } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

const TAGS = { image: 'Images', video: 'Videos', document: 'Documents' } as const

function resultTypesOf({ name, media }: Pick<Endpoint, 'name' | 'media'>): string[] {
  if (name.endsWith('/read')) return []
  const formats = OUTPUT[name.endsWith('/process') ? media : 'image']
  return Object.values(formats).map(({ contentType }) => contentType)
}

/** Returns the type of the first file that a request with this `input` makes, or `undefined` for a read endpoint. */
export function resultTypeOf(endpoint: Pick<Endpoint, 'name' | 'media'>, input: object): string | undefined {
  const { output, outputs } = input as { output?: Formatted; outputs?: Formatted[] }
  const { format } = outputs?.[0] ?? output ?? {}
  return format === undefined ? resultTypesOf(endpoint)[0] : CONTENT_TYPES[format]
}

type Formatted = { format?: OutputFormat }

const hasFiles = (endpoint: Endpoint) => resultTypesOf(endpoint).length > 0

export function processingRoute(endpoint: Endpoint) {
  const name = schemaName(endpoint.name)
  const schema = requestOf(endpoint)
  return defineRoute({
    operationId: name.slice(0, 1).toLowerCase() + name.slice(1),
    method: 'post',
    path: `/v1/${endpoint.name}`,
    tag: TAGS[endpoint.media],
    summary: endpoint.title,
    description: [
      endpoint.description,
      `$${toDollars(endpoint.price).replace(/(?<!0)0+$/, '')} per ${endpoint.priceUnit}.`,
      ...(hasFiles(endpoint)
        ? [
            'With `Prefer: wait` and an `Accept` header that names the type of the result, the response is the file, or 422 with the failure code.',
          ]
        : []),
      ...(endpoint.paidOnly ? ['Only for accounts that have bought credit.'] : []),
    ].join(' '),
    key: true,
    headers: ['Idempotency-Key', 'Prefer'],
    body: { schema: sentSchema(endpoint), example: exampleBody(endpoint), form: true },
    responses: {
      202: {
        description: 'The request is accepted: it is queued, or still in processing at the end of the wait.',
        schema,
        example: exampleQueued(endpoint),
        headers: ['Location', 'Preference-Applied'],
      },
      200: {
        description:
          'The request finished during the wait. Or the Idempotency-Key was used with this body before, and the response is the current state of the first request.' +
          (hasFiles(endpoint)
            ? ' With `Prefer: wait` and an `Accept` header that names the type of the result, the body is the file.'
            : ''),
        schema,
        example: exampleSucceeded(endpoint),
        ...(hasFiles(endpoint) && { isFile: true as const }),
        headers: [
          'Idempotent-Replayed',
          'Preference-Applied',
          ...(hasFiles(endpoint)
            ? (['Mediamill-Request', 'Mediamill-Price', 'Repr-Digest', 'Content-Disposition'] as const)
            : []),
        ],
      },
    },
    rejections: [
      'insufficient_credits',
      ...(endpoint.paidOnly ? (['paid_account_required'] as const) : []),
      'idempotency_key_reused',
      'idempotency_key_in_use',
      'validation_failed',
      'url_invalid',
      'url_blocked',
      'url_unresolvable',
      'upload_not_found',
      'upload_incomplete',
      'upload_too_large',
      ...(hasFiles(endpoint) ? (['template_not_found'] as const) : []),
      'concurrency_limited',
      'test_mode_daily_limit',
    ],
  })
}

/** The errors that an estimate cannot cause, because it starts no request. */
const ONLY_OF_A_START = [
  'insufficient_credits',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'concurrency_limited',
  'test_mode_daily_limit',
] as const

export function estimateRoute(endpoint: Endpoint) {
  const { operationId, tag, summary, rejections } = processingRoute(endpoint)
  const isOnlyOfAStart = (code: (typeof rejections)[number]) => ONLY_OF_A_START.some((only) => only === code)
  return defineRoute({
    operationId: `${operationId}Estimate`,
    method: 'post',
    path: `/v1/${endpoint.name}/estimate`,
    tag,
    summary: `${summary}: estimate the price`,
    description: 'Accepts the same body as the endpoint and returns the same errors, but starts and charges nothing.',
    key: true,
    body: { schema: sentSchema(endpoint), example: exampleBody(endpoint) },
    responses: { 200: { description: 'The estimate.', schema: estimate, example: exampleEstimate(endpoint) } },
    rejections: rejections.filter((code) => !isOnlyOfAStart(code)),
  })
}
