import type { Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '@mediamill/contract/domain/errors'
import { processThrottle } from '../../../outbound/chunk-throttle.ts'
import { InefficientBodyError, JoinedBody } from '../../../outbound/fetch/joined-body.ts'
import { watchPace } from '../../../outbound/fetch/pace.ts'
import { uploadTooLarge } from '../../../uploads/refusals.ts'
import type { FileSummary } from '../../../uploads/summary.ts'
import { leaveCall } from './own-time.ts'

/** How slowly a body may come: as slowly as a source does (uploads.size.4). */
export type UploadPace = { stallMs: number; minBytesPerSecond: number; paceMs: number }

export const UPLOAD_PACE: UploadPace = { stallMs: 20_000, minBytesPerSecond: 10 * 1024, paceMs: 30_000 }

/** A body that broke off, stalled or crawled: what came before is whole. */
export class BrokenUpload extends Error {
  override name = 'BrokenUpload'
}

export type UploadBodyOptions = {
  maxBytes: number
  pace: UploadPace
  /** Told of the bytes that came over the wire. */
  onBytes: (bytes: number) => void
  /** Sees every byte that is handed on. */
  summary?: FileSummary | undefined
  checksum?: Hash | undefined
  /** Ends the body with its reason when the upload is deleted. */
  signal?: AbortSignal
}

/**
 * Reads the body of a call that brings a file, once. Its chunks are of a usual size, however small the pieces come.
 *
 * Throws `ApiError` for one over `maxBytes`, and `BrokenUpload`. The call can be answered afterwards in any case.
 */
export async function* readUpload(call: IncomingMessage, options: UploadBodyOptions): AsyncGenerator<Buffer> {
  const body = new JoinedBody(call, processThrottle, leaveCall)
  let received = 0
  let handedOn = 0
  let isTaking = false
  const end = () => void body.destroy(options.signal?.reason as Error)
  options.signal?.addEventListener('abort', end)
  using _pace = watchPace(() => (isTaking ? undefined : received), {
    limits: options.pace,
    onSlow: () => body.destroy(new BrokenUpload('it stopped or came too slowly')),
  })
  body.countBytes((bytes) => {
    received += bytes
    options.onBytes(bytes)
  })
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      handedOn += chunk.length
      if (handedOn > options.maxBytes) throw uploadTooLarge(options.maxBytes)
      options.summary?.add(chunk)
      options.checksum?.update(chunk)
      isTaking = true
      yield chunk
      isTaking = false
    }
  } catch (error) {
    if (error instanceof ApiError || error instanceof BrokenUpload) throw error
    const why = error instanceof InefficientBodyError ? 'it came in pieces that are too small' : 'it broke off'
    throw new BrokenUpload(why, { cause: error })
  } finally {
    options.signal?.removeEventListener('abort', end)
  }
  if (!call.complete) throw new BrokenUpload('it broke off')
}
