import { MAX_IDEMPOTENCY_KEY_LENGTH, WAIT_SECONDS } from '@mediamill/contract/domain/limits'
import type { Json } from './json-schema.ts'

const text = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string' },
})

/** All request headers, for `components.parameters`. */
export const callHeaders = (): Json => ({
  IdempotencyKey: idempotencyKey(),
  LastEventID: text(
    'Last-Event-ID',
    'The `id` of the last event that was seen: only what is newer is sent. `EventSource` sends it by itself.',
  ),
  Prefer: prefer(),
  TusResumable: text('Tus-Resumable', 'The version of tus that the client speaks: `1.0.0`. A PATCH must have it.'),
  UploadOffset: {
    ...text('Upload-Offset', 'The byte that the piece begins at: what `HEAD` tells. A PATCH must have it.'),
    schema: { type: 'integer', minimum: 0 },
  },
  UploadChecksum: text(
    'Upload-Checksum',
    '`sha1`, `sha256` or `md5` and the digest of the piece in base64. A piece that arrived damaged is not kept then.',
  ),
})

/** No example, because documentation tools would send it and then wait. */
function prefer(): Json {
  const { default: usual, maximum } = WAIT_SECONDS
  return {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=N\` holds the answer until the request has ended, or there is an event, for up to N seconds (1 to ${maximum}; ${usual} without a number). Anything else is ignored.`,
    required: false,
    schema: { type: 'string' },
  }
}

/** No example, because documentation tools would send it, and the next call with another body would be rejected. */
function idempotencyKey(): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: sent again with the same body within 24 hours, it returns the first request and starts no second one. Use a new one for every new request, such as a UUID.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
  }
}
