import type { Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '@mediamill/contract/domain/errors'
import { processThrottle } from '../../../outbound/chunk-throttle.ts'
import { InefficientBodyError, JoinedBody } from '../../../outbound/fetch/joined-body.ts'
import { watchSpeed } from '../../../outbound/fetch/watch-speed.ts'
import { uploadTooLarge } from '../../../uploads/errors.ts'
import { keepConnection } from './body-timeout.ts'

export type UploadPace = { stallMs: number; minBytesPerSecond: number; paceMs: number }

export const UPLOAD_PACE: UploadPace = { stallMs: 20_000, minBytesPerSecond: 10 * 1024, paceMs: 30_000 }

/** Thrown if a body ended early, stalled, or was too slow. The bytes that were received before are valid. */
export class BrokenUpload extends ApiError {
  override name = 'BrokenUpload'

  constructor(why: string, options?: ErrorOptions) {
    super('validation_failed', `The upload is incomplete: ${why}. Send it again.`, options)
  }
}

type UploadBodyOptions = {
  maxBytes: number
  pace: UploadPace
  onBytes: (bytes: number) => void
  checksum?: Hash | undefined
  signal?: AbortSignal
}

/** Reads the body of an upload. Throws `ApiError` or `BrokenUpload`. Keeps the connection open after an error. */
export async function* readUpload(call: IncomingMessage, options: UploadBodyOptions): AsyncGenerator<Buffer> {
  const body = new JoinedBody(call, processThrottle, keepConnection)
  let received = 0
  let handedOn = 0
  let isTaking = false
  const end = () => void body.destroy(options.signal?.reason as Error)
  options.signal?.addEventListener('abort', end)
  using _pace = watchSpeed(() => (isTaking ? undefined : received), {
    limits: options.pace,
    onSlow: () => body.destroy(new BrokenUpload('it stopped or was too slow')),
  })
  body.countBytes((bytes) => {
    received += bytes
    options.onBytes(bytes)
  })
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      handedOn += chunk.length
      if (handedOn > options.maxBytes) throw uploadTooLarge(options.maxBytes)
      options.checksum?.update(chunk)
      isTaking = true
      yield chunk
      isTaking = false
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    const why = error instanceof InefficientBodyError ? 'its chunks are too small' : 'the connection ended'
    throw new BrokenUpload(why, { cause: error })
  } finally {
    options.signal?.removeEventListener('abort', end)
  }
  if (!call.complete) throw new BrokenUpload('the connection ended')
}
