import { MAX_IDEMPOTENCY_KEY_LENGTH, WAIT_SECONDS } from '@mediamill/contract/domain/limits'
import type { Json } from './json-schema.ts'

const text = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string' },
})

const { default: usual, maximum } = WAIT_SECONDS

/**
 * Describes the headers that calls can have. `Prefer` and `Idempotency-Key` have no example: a tool that sends the
 * example would wait or get an error.
 */
export const callHeaders = (): Json => ({
  IdempotencyKey: {
    ...text(
      'Idempotency-Key',
      'Makes a retry safe: the same key with the same body returns the first request within 24 hours and starts no second request. Use a new key, such as a UUID, for every new request.',
    ),
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
  },
  LastEventID: text(
    'Last-Event-ID',
    'The `id` of the last event that you received. Only newer events are sent. `EventSource` sends it automatically.',
  ),
  Prefer: text(
    'Prefer',
    `\`wait=N\` waits until the request is complete, or an event exists, for up to N seconds (1 to ${maximum}; ${usual} without a number). Other preferences are ignored.`,
  ),
  TusResumable: text('Tus-Resumable', 'The version of tus: `1.0.0`. Required with PATCH.'),
  UploadOffset: {
    ...text('Upload-Offset', 'The first byte of the chunk, as returned by `HEAD`. Required with PATCH.'),
    schema: { type: 'integer', minimum: 0 },
  },
  UploadChecksum: text(
    'Upload-Checksum',
    '`sha1`, `sha256`, or `md5` and the digest of the chunk in base64. A damaged chunk is then not stored.',
  ),
})
