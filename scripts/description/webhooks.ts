import { imagesProcess } from '@mediamill/contract/endpoints/images-process'
import { schemaName } from '@mediamill/contract/lib/schema-name'
import { webhookEvent } from '@mediamill/contract/objects/event'
import { exampleAborted, exampleFailed, exampleSucceeded } from '@mediamill/contract/objects/examples'
import type { FinalRequestBody } from '@mediamill/contract/objects/request'
import type { Json, Schemas } from './json-schema.ts'
import { responseSchema } from './json-schema.ts'

export function webhooks(schemas: Schemas): Json {
  // All events arrive at one URL, so the schema of each body is the union of all event schemas.
  const schema = responseSchema(webhookEvent, schemas)
  const post = (status: FinalRequestBody['status'], data: object) => ({ post: delivery(status, data, schema) })
  return {
    'request.succeeded': post('succeeded', exampleSucceeded(imagesProcess)),
    'request.failed': post('failed', exampleFailed(imagesProcess)),
    'request.aborted': post('aborted', exampleAborted(imagesProcess)),
  }
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

function delivery(status: string, data: object, schema: Json): Json {
  const type = `request.${status}`
  const event = { id: 'evt_5d41402abc4b2a76b9719d911017c592', object: 'event', type, created: 1_795_253_401, data }
  return {
    operationId: `request${schemaName(status)}`,
    tags: ['Webhooks'],
    summary: `Request ${status}`,
    description:
      'Posted to the `webhook_url` of the request, otherwise of the account. Return any 2xx status within 10 seconds; ' +
      'otherwise the delivery is retried 3 times, about 4, 5, and 7 seconds apart. Compare the signature in constant time, ' +
      'reject a `t` more than 5 minutes before or after the current time, and ignore an event `id` that you have already processed.',
    security: [],
    parameters: [
      header(
        'Service-Signature',
        'v1 is the HMAC-SHA256 in hex of t, a dot, and the raw body, keyed with the webhook secret of the account.',
        `t=1795253401,v1=${'5f'.repeat(32)}`,
      ),
      header('Service-Event-Id', 'Event identifier.', event.id),
      header('Service-Event-Type', 'Event type.', type),
      header('Service-Delivery-Attempt', 'Number of this attempt, 1 to 4.', '1'),
      header('webhook-id', 'Event identifier, for Standard Webhooks libraries.', event.id),
      header('webhook-timestamp', 'The same time as `t`.', String(event.created)),
      header(
        'webhook-signature',
        'The signature of Standard Webhooks, keyed with the decoded base64 after `whsec_`.',
        'v1,X19fX19fX19fX19fX19fX19fX19fX19fX19fX19fX18=',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example: event } } },
    responses: {
      '2XX': { description: 'Delivered.' },
      '4XX': { description: 'Not delivered. The delivery is retried.' },
    },
  }
}
