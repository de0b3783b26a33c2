import type { ResponseHeader } from '@mediamill/contract/route'
import type { Json } from './json-schema.ts'

const text = (description: string, example: string, required = true): Json => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})
const integer = (description: string, example: number): Json => ({
  description,
  required: true,
  schema: { type: 'integer' },
  example,
})

const HEADERS = {
  'Request-Id': text('Identifier of this call. Include it in support requests.', 'req_8f14e45fceea167a5a36dedd'),
  'RateLimit-Policy': text('Maximum number of calls in any 60 seconds.', '"calls";q=120;w=60'),
  RateLimit: text('Remaining calls, and seconds until another call is available.', '"calls";r=119;t=60'),
  'X-RateLimit-Limit': integer('Maximum number of calls in any 60 seconds.', 120),
  'X-RateLimit-Remaining': integer('Remaining calls.', 119),
  'X-RateLimit-Reset': integer('Unix time at which another call is available.', 1_795_253_460),
  'Mediamill-Warning': text(
    'Names unknown query parameters, which were ignored, and their replacements.',
    'unknown query parameter "offset" was ignored; use "before"',
    false,
  ),
  'Retry-After': {
    description: 'Seconds to wait before a retry. With 409, only for `idempotency_key_in_use`.',
    schema: { type: 'integer' },
    example: 1,
  },
  'WWW-Authenticate': { ...text('How to authenticate.', 'Bearer'), schema: { type: 'string', const: 'Bearer' } },
  'Idempotent-Replayed': {
    ...text('Only if the call repeats an earlier call with the same `Idempotency-Key`.', 'true', false),
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': text('On calls with `Prefer: wait`: the maximum wait in seconds.', 'wait=20', false),
  'Mediamill-Request': text(
    'Identifier of the request. Only on file responses and on errors of failed requests.',
    '1977',
    false,
  ),
  'Mediamill-Price': text(
    'Price in dollars. Only on file responses and on errors of failed requests.',
    '0.002000',
    false,
  ),
  'Repr-Digest': text(
    'SHA-256 digest of the file (RFC 9530). Only on file responses.',
    'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
    false,
  ),
  'Content-Disposition': text('Name of the file. Only on file responses.', 'inline; filename="1977.jpg"', false),
  Location: {
    description: 'URL of the request. For a download link: URL of the file, valid for a minute.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Cache-Control': text('A redirect must not be cached. A file can be cached until its link expires.', 'no-store'),
  ETag: text(
    'Identifies the content of the file.',
    '"4b68ab3847feda7d6c62c1fbcbeebfa35eab7351ed5e78f4ddadea5df64b8015"',
    false,
  ),
  'Accept-Ranges': text('The response supports `Range`.', 'bytes', false),
  'Content-Range': text(
    'The position of the bytes in the file. With 416, only the size of the file.',
    'bytes 0-1023/27136',
    false,
  ),
  'Cross-Origin-Resource-Policy': text('Pages of any origin may show the file.', 'cross-origin'),
  'Access-Control-Allow-Origin': text('Pages of any origin may read the file.', '*'),
  'Upload-Offset': integer('Bytes received so far: the offset of the next chunk.', 524_288),
  'Upload-Length': integer('Size of the file in bytes.', 1_900_000_000),
  'Upload-Expires': text('Expiration time of the upload.', 'Sun, 22 Nov 2026 09:30:00 GMT'),
  'Tus-Resumable': text('Supported tus version.', '1.0.0'),
  'Tus-Version': text('Supported tus versions.', '1.0.0'),
  'Tus-Extension': text('Supported tus extensions.', 'termination,expiration,checksum'),
  'Tus-Max-Size': integer('Size of the file in bytes.', 1_900_000_000),
  'Tus-Checksum-Algorithm': text('Supported checksums of chunks.', 'sha1,sha256,md5'),
} satisfies Record<string, Json>

export type Header = keyof typeof HEADERS | ResponseHeader

const component = (name: string) => name.replaceAll('-', '')

export const headerComponents = (): Json =>
  Object.fromEntries(Object.entries(HEADERS).map(([name, header]) => [component(name), header]))

export const headersNamed = (names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${component(name)}` }]))

export const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies Header[]
