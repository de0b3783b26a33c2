import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { CLOCK } from '../transport/clock.ts'
import { retryDelayMs } from '../transport/retry.ts'
import type { Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** How a file is sent to a signed URL. */
export type SendUploadOptions = {
  /** Ends it; what came stays, and can be gone on from. */
  signal?: AbortSignal | undefined
  /** Is called with the bytes that have arrived, and their number in all. */
  onProgress?: ((sent: number, size: number) => void) | undefined
  /** Losses in a row that are got over. */
  maxRetries?: number | undefined
}

/** Bytes that are sent in one call: what a lost connection costs at most. */
export const PIECE_BYTES = 16 * 1024 * 1024

/**
 * Sends a file to a signed `upload_url`, without a key: in a browser as well.
 *
 * It goes piece by piece (tus 1.0), and on from where it was when a connection is lost, or when it is called again.
 *
 * @example await sendUpload(upload_url, input.files[0], { onProgress: (sent, size) => (bar.value = sent / size) })
 */
export async function sendUpload(uploadUrl: string | URL, file: Blob, options: SendUploadOptions = {}): Promise<void> {
  const fetch: typeof globalThis.fetch = (...given) => globalThis.fetch(...given)
  const transport = {
    baseUrl: '',
    apiKey: '',
    userAgent: undefined,
    fetch,
    timeoutMs: 30_000,
    maxRetries: 2,
    clock: CLOCK,
  }
  await sendPieces(transport, String(uploadUrl), file, options)
}

/** The same with the ways of a client. */
export async function sendPieces(
  transport: Transport,
  path: string,
  file: Blob,
  { signal, onProgress, maxRetries = transport.maxRetries }: SendUploadOptions,
): Promise<void> {
  const tus = { 'tus-resumable': '1.0.0' }
  let offset: number | undefined
  let furthest = -1
  for (let losses = 0; offset === undefined || offset < file.size; ) {
    try {
      const answer =
        offset === undefined
          ? await send(transport, { method: 'HEAD', path, headers: tus, signal, maxRetries })
          : await send(transport, {
              method: 'PATCH',
              path,
              headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
              body: file.slice(offset, offset + PIECE_BYTES),
              signal,
              maxRetries: 0,
            })
      const told = answer.response.headers.get('upload-offset')
      const arrived = Number(told ?? Number.NaN)
      // Whatever else answers there would be sent the same piece for ever.
      if (!(arrived > (offset ?? -1))) throw new ConnectionError(`The piece did not arrive: Upload-Offset is ${told}.`)
      // Only what came further than ever is no loss: else one piece could be lost again and again.
      if (arrived > furthest) losses = 0
      furthest = Math.max(furthest, arrived)
      offset = arrived
      onProgress?.(offset, file.size)
    } catch (error) {
      signal?.throwIfAborted()
      losses += 1
      // The piece that was lost may still be on its way into the service: it has come further than it said.
      const isAhead = error instanceof ApiError && error.code === 'upload_offset_mismatch'
      const retryable = isAhead ? new ConnectionError(error.message) : error
      const delayMs = losses <= maxRetries ? retryDelayMs(retryable, losses) : undefined
      if (delayMs === undefined) throw error
      await transport.clock.sleep(delayMs, signal)
      // How much came of it, only the service knows.
      offset = undefined
    }
  }
}
