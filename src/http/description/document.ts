import { declaredSchemas } from './bodies.ts'
import { introduction } from './codes.ts'
import type { Json } from './json-schema.ts'
import { paths } from './paths.ts'
import { refusalComponents } from './refusals.ts'
import { objectSchemas } from './schemas.ts'
import { webhooks } from './webhooks.ts'

/** Of the interface, not of the program (rulings 13). */
const INTERFACE_VERSION = '1.0.0'

/**
 * The description of the interface in OpenAPI 3.1, for a service at `baseUrl`. Bodies, bounds, defaults, prices, facts
 * and codes come from the declarations that the service itself runs on.
 */
export function describeInterface(baseUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mediamill',
      version: INTERFACE_VERSION,
      summary: 'Process images, videos and PDFs by URL.',
      description: introduction(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: [
      {
        name: 'Images',
        description: 'JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC and AVIF in; jpg, png, webp, gif and tif out.',
      },
      { name: 'Videos', description: 'MP4, MOV, WebM, MKV, AVI, FLV, MPEG and MPEG-TS in; MP4 out.' },
      { name: 'Documents', description: 'PDF in, PDF out.' },
      { name: 'Requests', description: 'What was started, what became of it, and its files.' },
      { name: 'Account', description: 'Balance, limits, usage, and what can be done.' },
      { name: 'Webhooks', description: 'What the service posts to you.' },
    ],
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: { ...objectSchemas(), ...declaredSchemas() },
      responses: refusalComponents(),
      parameters: { IdempotencyKey: idempotencyKey() },
      headers: headers(),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A live key (`svc_live_…`) runs on credit; a test key (`svc_test_…`) is free and has small limits.',
        },
      },
    },
  }
}

function idempotencyKey(): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Sent again with the same body within 24 hours, it returns the first request and starts no second one.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-1977',
  }
}

function headers(): Json {
  const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
  return {
    RequestId: text('The id of this call, for the log.', 'req_8f14e45fceea167a5a36dedd'),
    RateLimitPolicy: text('Calls that may be made in any 60 seconds.', '"calls";q=120;w=60'),
    RateLimit: text(
      'Calls that are left, and seconds until the oldest one of the minute is forgotten. Also in the older names `X-RateLimit-Limit`, `-Remaining` and `-Reset`.',
      '"calls";r=119;t=60',
    ),
    RetryAfter: { description: 'Seconds after which to try again.', schema: { type: 'integer' }, example: 1 },
    IdempotentReplayed: { description: 'On replays only.', schema: { type: 'string', const: 'true' }, example: 'true' },
  }
}
