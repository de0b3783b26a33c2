import { toDollars } from '../../domain/money.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { imagesProcess } from '../../endpoints/images-process.ts'
import { ENDPOINTS } from '../../endpoints/index.ts'
import { catalog } from '../../operations/schema.ts'
import { exampleAborted, exampleBody, exampleQueued, exampleSucceeded } from './examples.ts'
import type { Json } from './json-schema.ts'
import { pascalCase, ref } from './json-schema.ts'
import type { Refusal } from './refusals.ts'
import { refusals } from './refusals.ts'

const HEADERS = {
  'Request-Id': { $ref: '#/components/headers/RequestId' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
}

/** What every call with a key may be refused with. */
const KEYED = ['Unauthorized', 'Suspended'] as const satisfies Refusal[]

const answer = (description: string, schema: Json, example: unknown, headers: Json = HEADERS): Json => ({
  description,
  headers,
  content: { 'application/json': { schema, example } },
})

/** Every path of Spec 4. */
export function paths(): Json {
  return {
    ...Object.fromEntries(ENDPOINTS.map((endpoint) => [`/v1/${endpoint.name}`, { post: processing(endpoint) }])),
    '/v1/requests': { get: listRequests() },
    '/v1/requests/{id}': { parameters: [id('The id of the request.')], get: getRequest() },
    '/v1/requests/{id}/abort': { parameters: [id('The id of the request.')], post: abortRequest() },
    '/v1/results/{id}': { parameters: [id('The id of the request.')], get: downloadResult() },
    '/v1/account': { get: getAccount() },
    '/v1/usage': { get: getUsage() },
    '/v1/operations': { get: listOperations() },
  }
}

const TAGS = { image: 'Images', video: 'Videos', document: 'Documents' } as const

function processing(endpoint: Endpoint): Json {
  const name = pascalCase(endpoint.name)
  const price = `$${toDollars(endpoint.price).replace(/0+$/, '')} per ${endpoint.priceUnit}`
  const payment = endpoint.paidOnly ? 'PaidAccountRequired' : 'CreditRequired'
  const queued = answer('Accepted: the request is queued.', ref('Request'), exampleQueued(endpoint))
  const replayed = { ...HEADERS, 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
  return {
    operationId: camelCase(name),
    tags: [TAGS[endpoint.media]],
    summary: `${endpoint.name}: ${price}`,
    description: `${endpoint.description}${endpoint.paidOnly ? ' Only for accounts that have bought credit.' : ''}`,
    parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref(`${name}Body`), example: exampleBody(endpoint) } },
    },
    responses: {
      200: answer(
        'The Idempotency-Key was used with this body before: the first request, as it is now.',
        ref('Request'),
        exampleSucceeded(endpoint),
        replayed,
      ),
      202: queued,
      ...refusals(...KEYED, payment, 'IdempotencyConflict', 'InvalidRequest', 'LimitReached'),
    },
  }
}

const camelCase = (name: string) => name.slice(0, 1).toLowerCase() + name.slice(1)

const id = (description: string): Json => ({
  name: 'id',
  in: 'path',
  required: true,
  description,
  schema: { type: 'integer' },
  example: 48_211,
})

const query = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'query',
  description,
  required,
  schema,
})

function listRequests(): Json {
  return {
    operationId: 'listRequests',
    tags: ['Requests'],
    summary: 'List requests, newest first',
    description: 'Pass the last id of a page as `before` for the next one.',
    parameters: [
      query('limit', 'Requests on a page.', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
      query('before', 'Only requests with an id lower than this.', { type: 'integer' }),
    ],
    responses: {
      200: answer('A page of requests.', ref('RequestList'), {
        object: 'list',
        data: [exampleSucceeded(imagesProcess)],
        has_more: false,
      }),
      ...refusals(...KEYED, 'InvalidQuery', 'RateLimited'),
    },
  }
}

function getRequest(): Json {
  return {
    operationId: 'getRequest',
    tags: ['Requests'],
    summary: 'Get a request',
    responses: {
      200: answer('The request, with its result once it succeeded.', ref('Request'), exampleSucceeded(imagesProcess)),
      ...refusals(...KEYED, 'RequestNotFound', 'RateLimited'),
    },
  }
}

function abortRequest(): Json {
  return {
    operationId: 'abortRequest',
    tags: ['Requests'],
    summary: 'Abort a request',
    description: 'Stops a request that has not finished. It is not charged.',
    responses: {
      200: answer('The aborted request.', ref('Request'), exampleAborted(imagesProcess)),
      ...refusals(...KEYED, 'RequestNotFound', 'RequestFinished', 'RateLimited'),
    },
  }
}

function downloadResult(): Json {
  return {
    operationId: 'downloadResult',
    tags: ['Requests'],
    summary: 'Download a result',
    description: 'The link in `result.files[].url`. It needs no key: its signature is what authorizes it.',
    security: [],
    parameters: [
      query('expires', 'As in the link.', { type: 'integer' }, true),
      query('signature', 'As in the link.', { type: 'string' }, true),
    ],
    responses: {
      302: {
        description: 'The file is at the address in `Location`.',
        headers: {
          'Request-Id': HEADERS['Request-Id'],
          Location: { description: 'Where the file is, for a minute.', schema: { type: 'string', format: 'uri' } },
        },
      },
      ...refusals('InvalidSignature', 'Gone'),
    },
  }
}

function getAccount(): Json {
  return {
    operationId: 'getAccount',
    tags: ['Account'],
    summary: 'Get the account',
    responses: {
      200: answer('The account of the key.', ref('Account'), {
        object: 'account',
        id: 1001,
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        tier: 'paid',
        balance: { amount: '24.998000', currency: 'usd', micro_usd: 24_998_000 },
        held: { amount: '0.020000', currency: 'usd', micro_usd: 20_000 },
        available: { amount: '24.978000', currency: 'usd', micro_usd: 24_978_000 },
        webhook_url: 'https://example.com/hooks/media',
        livemode: true,
        limits: { requests_per_minute: 120, concurrent_requests: 10, max_source_bytes: 2_147_483_648 },
        suspended: false,
        created_at: '2026-11-01T08:00:00.000Z',
      }),
      ...refusals(...KEYED, 'RateLimited'),
    },
  }
}

function getUsage(): Json {
  const row = {
    day: '2026-11-20',
    requests: 120,
    succeeded: 117,
    failed: 2,
    spent: '0.234000',
    spent_micro_usd: 234_000,
    source_bytes: 220_704_480,
    result_bytes: 5_640_570,
  }
  const date = { type: 'string', format: 'date' }
  return {
    operationId: 'getUsage',
    tags: ['Account'],
    summary: 'Get usage',
    description: "Sums over the requests of the key's mode. Both ends of the range count; it covers at most 92 days.",
    parameters: [
      query('from', 'First day, UTC; 29 days ago by default.', date),
      query('to', 'Last day, UTC; today by default.', date),
      query('group_by', 'What the rows are keyed by.', {
        type: 'string',
        enum: ['day', 'endpoint', 'customer', 'status'],
        default: 'day',
      }),
      query('customer', 'Only the requests of this customer.', { type: 'string', maxLength: 64 }),
    ],
    responses: {
      200: answer('The sums.', ref('Usage'), {
        object: 'usage',
        from: '2026-10-23',
        to: '2026-11-21',
        group_by: 'day',
        data: [row],
      }),
      ...refusals(...KEYED, 'InvalidQuery', 'RateLimited'),
    },
  }
}

function listOperations(): Json {
  return {
    operationId: 'listOperations',
    tags: ['Account'],
    summary: 'List the operations',
    responses: {
      200: answer('The catalog of operations.', ref('Catalog'), { object: 'operations', data: catalog() }),
      ...refusals(...KEYED, 'RateLimited'),
    },
  }
}
