import { toDollars } from '../domain/money.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { bodySchema } from '../endpoints/validation.ts'
import { schemaName } from '../lib/schema-name.ts'
import { exampleBody, exampleQueued, exampleSucceeded } from '../objects/examples.ts'
import { requestOf } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

const TAGS = { image: 'Images', video: 'Videos', document: 'Documents' } as const

/** The route of a processing endpoint (Spec 4.1, 4.2). */
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
      ...(endpoint.paidOnly ? ['Only for accounts that have bought credit.'] : []),
    ].join(' '),
    key: true,
    headers: ['Idempotency-Key', 'Prefer'],
    body: { schema: bodySchema(endpoint), example: exampleBody(endpoint) },
    answers: {
      202: {
        description: 'Accepted: the request is queued, or still being worked on when the call has waited long enough.',
        schema,
        example: exampleQueued(endpoint),
        headers: ['Location', 'Preference-Applied'],
      },
      200: {
        description:
          'The request ended while the call waited; or the Idempotency-Key was used with this body before, and the answer is the first request, as it is now.',
        schema,
        example: exampleSucceeded(endpoint),
        headers: ['Idempotent-Replayed', 'Preference-Applied'],
      },
    },
    refusals: [
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
      'concurrency_limited',
      'test_mode_daily_limit',
    ],
  })
}
