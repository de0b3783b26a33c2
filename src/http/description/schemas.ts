import { API_ERRORS, ERROR_TYPES, FAILURE_CODES, INVALID_FIELD_CODES, URL_ERROR_CODES } from '../../domain/errors.ts'
import { TIERS } from '../../domain/limits.ts'
import { MEDIA_TYPES } from '../../domain/media.ts'
import { TRANSITIONS } from '../../domain/request.ts'
import { ENDPOINTS } from '../../endpoints/index.ts'
import type { Json } from './json-schema.ts'
import { pascalCase, ref } from './json-schema.ts'

const string = (description: string, more: Json = {}): Json => ({ type: 'string', description, ...more })
const integer = (description: string, more: Json = {}): Json => ({ type: 'integer', description, ...more })
const timestamp = (description: string) => string(description, { format: 'date-time' })
const url = (description: string) => string(description, { format: 'uri' })
const always = (text: string): Json => ({ type: 'string', const: text, description: `Always \`${text}\`.` })
const object = (description: string, properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  description,
  properties,
  required,
})
const list = (items: Json, description: string): Json => ({ type: 'array', items, description })
/** A reference with words of its own. */
const described = (name: string, description: string): Json => ({ ...ref(name), description })

/** The objects of Spec 2 and the error of Spec 7. */
export function objectSchemas(): Json {
  return {
    Money: object('An amount of money.', {
      amount: string('Dollars with six decimals.', { examples: ['0.002000'] }),
      currency: { type: 'string', const: 'usd' },
      micro_usd: integer('Millionths of a dollar.', { examples: [2000] }),
    }),
    Request: requestSchema(),
    ResultFile: object('A file that a request made.', {
      url: url('Signed download link; whoever has it can download the file.'),
      url_expires_at: timestamp('When the link stops working: when the file is deleted.'),
      format: string('File format, lower case.', { examples: ['webp'] }),
      size: { type: ['integer', 'null'], description: 'Bytes.' },
      sha256: string('SHA-256 of the file, in hex.'),
    }),
    Failure: object(
      'Why a request failed. It is not charged.',
      {
        code: string('Stable; branch on it.', { enum: [...FAILURE_CODES] }),
        message: string('For people: what was wrong and what to do.'),
        operation: integer('Index of the operation that could not be carried out, where one is to blame.'),
      },
      ['code', 'message'],
    ),
    RequestList: object('A page of requests, the newest first.', {
      object: always('list'),
      data: list(ref('Request'), 'The requests of this page.'),
      has_more: { type: 'boolean', description: 'Whether older requests follow.' },
    }),
    Account: accountSchema(),
    Usage: object('What requests came to, by a group.', {
      object: always('usage'),
      from: string('First day, UTC.', { format: 'date' }),
      to: string('Last day, UTC.', { format: 'date' }),
      group_by: string('What the rows are keyed by.', { enum: ['day', 'endpoint', 'customer', 'status'] }),
      data: list(ref('UsageRow'), 'A row for each group that has requests, ascending.'),
    }),
    UsageRow: usageRowSchema(),
    Catalog: catalogSchema(),
    Event: object('A request has finished.', {
      id: string('The same on every retry of one delivery.', { examples: ['evt_5d41402abc4b2a76b9719d911017c592'] }),
      object: always('event'),
      type: string('How it finished.', { enum: ['request.succeeded', 'request.failed', 'request.aborted'] }),
      created: integer('Unix time.'),
      data: described('Request', 'The request in its final status.'),
    }),
    Error: errorSchema(),
  }
}

function requestSchema(): Json {
  const result = object(
    'Present once succeeded.',
    {
      data: {
        description: 'Facts about the output, or about the source of a read.',
        anyOf: ENDPOINTS.map((endpoint) => ref(`${pascalCase(endpoint.name)}Data`)),
      },
      files: list(ref('ResultFile'), 'The files made; none by a read.'),
      deleted_at: timestamp('When the files are deleted.'),
    },
    ['data'],
  )
  return object(
    'One call to a processing endpoint, from its acceptance to its end.',
    {
      id: integer('Identifier of the request.'),
      object: always('request'),
      endpoint: string('The endpoint that started it.', { enum: ENDPOINTS.map((endpoint) => endpoint.name) }),
      status: string('Only `succeeded` is charged.', { enum: Object.keys(TRANSITIONS) }),
      livemode: { type: 'boolean', description: 'False when a test key made it.' },
      source: url('The URL of the source.'),
      input: {
        type: 'object',
        description: 'What was sent besides the source: operations, output and own fields.',
        additionalProperties: true,
      },
      progress: integer('Percent; on video requests that are processing.', { minimum: 0, maximum: 100 }),
      result,
      error: described('Failure', 'Present once failed.'),
      price: described('Money', 'What was charged; on finished requests.'),
      customer: string('What was sent.'),
      metadata: { type: 'object', description: 'What was sent.', additionalProperties: { type: 'string' } },
      created_at: timestamp('When it was accepted.'),
      started_at: timestamp('When work on it began.'),
      completed_at: timestamp('When it finished.'),
      timings: object(
        'How long the stages of the attempt that ended it took, in whole milliseconds; on finished requests.',
        {
          queued_ms: integer('From the acceptance to the beginning of that attempt.'),
          download_ms: integer('Until the source and the watermark images were there; 0 when it did not come to that.'),
          process_ms: integer('Until the result was made.'),
          store_ms: integer('Until the result was stored.'),
          total_ms: integer('From the acceptance to the end.'),
        },
      ),
    },
    ['id', 'object', 'endpoint', 'status', 'livemode', 'source', 'input', 'created_at'],
  )
}

function accountSchema(): Json {
  return object('Who calls, and what it may do.', {
    object: always('account'),
    id: integer('Identifier of the account.'),
    name: string('Its name.'),
    email: string('Where its owner is reached.'),
    tier: string('Paid once credit has been bought.', { enum: [...TIERS] }),
    balance: described('Money', 'What was paid in and not charged.'),
    held: described('Money', 'What open requests hold of the balance until they end.'),
    available: described('Money', 'What new requests may hold: the balance without what is held; it can be negative.'),
    webhook_url: {
      type: ['string', 'null'],
      format: 'uri',
      description: 'Where finished requests are posted by default.',
    },
    livemode: { type: 'boolean', description: 'Mode of the key used.' },
    limits: object('Of the key used.', {
      requests_per_minute: integer('Calls in any 60 seconds.'),
      concurrent_requests: integer('Requests queued or processing at once.'),
      max_source_bytes: integer('Bytes of the largest source.'),
    }),
    suspended: { type: 'boolean', description: 'Whether its calls are refused.' },
    created_at: timestamp('When it was opened.'),
  })
}

function usageRowSchema(): Json {
  const key = {
    day: string('When grouped by day.', { format: 'date' }),
    endpoint: string('When grouped by endpoint.'),
    customer: { type: ['string', 'null'], description: 'When grouped by customer; null for requests without one.' },
    status: string('When grouped by status.'),
  }
  const sums = {
    requests: integer('All requests, whatever became of them.'),
    succeeded: integer('Requests that succeeded.'),
    failed: integer('Requests that failed.'),
    spent: string('Dollars with six decimals.', { examples: ['1.250000'] }),
    spent_micro_usd: integer('Millionths of a dollar.'),
    source_bytes: integer('Bytes downloaded.'),
    result_bytes: integer('Bytes of the files made.'),
  }
  return object('The sums of one group.', { ...key, ...sums }, Object.keys(sums))
}

function catalogSchema(): Json {
  const param = object(
    'A parameter.',
    {
      description: string('What it does.'),
      required: { type: 'boolean', description: 'Whether it must be sent.' },
      default: { description: 'What holds when it is not sent.' },
      type: string('Its JSON type.'),
      minimum: { type: 'number', description: 'Smallest value.' },
      maximum: { type: 'number', description: 'Largest value.' },
      enum: { type: 'array', items: {}, description: 'All values.' },
    },
    ['description', 'required', 'type'],
  )
  const operation = object('An operation.', {
    description: string('What it does.'),
    params: { type: 'object', description: 'Its parameters, by name.', additionalProperties: param },
  })
  const medium = object('What can be done with one kind of file.', {
    formats: list({ type: 'string' }, 'Output formats, the default first.'),
    operations: { type: 'object', description: 'Its operations, by name.', additionalProperties: operation },
  })
  return object('Everything that can be done.', {
    object: always('operations'),
    data: object('By kind of file.', Object.fromEntries(MEDIA_TYPES.map((media) => [media, medium]))),
  })
}

function errorSchema(): Json {
  const field = object('One invalid field or URL.', {
    param: string('Dotted path of the field.', { examples: ['operations.0.width'] }),
    code: string('What is wrong with it.', { enum: [...INVALID_FIELD_CODES, ...URL_ERROR_CODES] }),
    message: string('For people.'),
  })
  const error = object(
    'Why the call was refused.',
    {
      type: string('Matches the status.', { enum: [...new Set(Object.values(ERROR_TYPES))] }),
      code: string('Stable; branch on it. The table of error codes tells them all.', { enum: Object.keys(API_ERRORS) }),
      message: string('For people.'),
      param: string('Dotted path of the first invalid field.'),
      errors: list(field, 'Every invalid field of a validation error, in the order of the document.'),
      request_id: string('Also in the header Request-Id; quote it when you ask for help.'),
    },
    ['type', 'code', 'message', 'request_id'],
  )
  return object('A refused call.', { error })
}
