import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { CLOCK } from '../transport/clock.ts'
import { runtimeFetch } from '../transport/fetch-file.ts'
import { pauseBeforeRetry } from '../transport/retry.ts'
import type { Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** Options of an upload to a signed URL. */
export type SendUploadOptions = {
  /** Stops the upload. The service keeps the received bytes, and a later call sends the rest. */
  signal?: AbortSignal | undefined
  /** Called with the number of bytes sent so far, and the size of the file in bytes. */
  onProgress?: ((sent: number, size: number) => void) | undefined
  /** How many times in a row the upload resumes after a lost connection. Default: 2. */
  maxRetries?: number | undefined
}

/** The size of a chunk, in bytes. After a lost connection, at most one chunk is sent again. */
export const PIECE_BYTES = 16 * 1024 * 1024

/**
 * Sends a file in chunks to a signed `upload_url`. Needs no API key, so it also works in a browser.
 * After a lost connection, the upload resumes. To resume later, call the function again with the same URL and file.
 * @example await sendUpload(upload_url, input.files[0], { onProgress: (sent, size) => (bar.value = sent / size) })
 */
export async function sendUpload(uploadUrl: string | URL, file: Blob, options: SendUploadOptions = {}): Promise<void> {
  const transport = {
    baseUrl: '',
    apiKey: '',
    userAgent: undefined,
    fetch: runtimeFetch,
    timeoutMs: 30_000,
    maxRetries: 2,
    clock: CLOCK,
  }
  await sendPieces(transport, String(uploadUrl), file, options)
}

/** Returns a function that calls `onProgress`, but only if the number of sent bytes changed. */
export function reportOf(
  onProgress: SendUploadOptions['onProgress'],
  size: number,
): ((sent: number) => void) | undefined {
  if (onProgress === undefined) return undefined
  let last = -1
  return (sent) => {
    if (sent !== last) onProgress(sent, size)
    last = sent
  }
}

export async function sendPieces(
  transport: Transport,
  path: string,
  file: Blob,
  { signal, onProgress, maxRetries = transport.maxRetries }: SendUploadOptions,
): Promise<void> {
  const report = reportOf(onProgress, file.size)
  const tus = { 'tus-resumable': '1.0.0' }
  let offset: number | undefined
  let furthest = -1
  for (let losses = 0; offset === undefined || offset < file.size; ) {
    try {
      const response =
        offset === undefined
          ? await send(transport, { method: 'HEAD', path, headers: tus, signal, maxRetries })
          : await send(transport, {
              method: 'PATCH',
              path,
              headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
              body: file.slice(offset, offset + PIECE_BYTES),
              onBytes: report && ((sent) => report((offset ?? 0) + sent)),
              signal,
              maxRetries: 0,
            })
      const storedOffset = response.response.headers.get('upload-offset')
      const arrived = Number(storedOffset ?? Number.NaN)
      // The server stored no byte of the chunk. Fail, because sending the chunk again could repeat forever.
      if (!(arrived > (offset ?? -1)))
        throw new ConnectionError(`The server did not store the chunk: Upload-Offset is ${storedOffset}.`)
      // Without new bytes, the count must increase, or a chunk that is lost each time would be retried forever.
      if (arrived > furthest) losses = 0
      furthest = Math.max(furthest, arrived)
      offset = arrived
      report?.(offset)
    } catch (error) {
      losses += 1
      // The service may have stored more bytes than its last response reported.
      const isAhead = error instanceof ApiError && error.code === 'upload_offset_mismatch'
      const retryable = isAhead ? new ConnectionError(error.message, { cause: error }) : error
      await pauseBeforeRetry({ clock: transport.clock, maxRetries }, retryable, losses, signal)
      // Without an offset, the next HEAD call reads how many bytes the service has stored.
      offset = undefined
    }
  }
}
