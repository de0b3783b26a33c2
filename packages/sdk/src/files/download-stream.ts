import type { ResultFile } from '../api-types.ts'
import { ConnectionError, TimeoutError } from '../errors/connection-error.ts'
import { IntegrityError } from '../errors/integrity-error.ts'
import { pauseBeforeRetry } from '../transport/retry.ts'
import { createStop, readPieces } from '../transport/stop-signal.ts'
import type { Transport } from '../transport/transport.ts'
import { rejectionOf } from '../transport/transport.ts'
import { createDigest } from './sha256.ts'

/** The type of bytes in an unshared `ArrayBuffer`. `Uint8Array` is not generic in older TypeScript. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>

type Expected = Pick<ResultFile, 'url' | 'size' | 'sha256'>

/** Streams a file as fast as the consumer reads. Resumes after a lost connection, and checks the digest at the end. */
export function downloadStream(transport: Transport, file: Expected, signal?: AbortSignal): ReadableStream<Bytes> {
  const pieces = download(transport, file, signal)
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* download(transport: Transport, file: Expected, signal?: AbortSignal): AsyncGenerator<Bytes, undefined> {
  const digest = createDigest()
  let received = 0
  for (let losses = 0; ; ) {
    try {
      for await (const piece of readFrom(transport, file, received, signal)) {
        received += piece.length
        losses = 0
        digest.update(piece)
        yield piece
      }
      if (file.size === null || received >= file.size) break
      throw new ConnectionError(`The download ended after ${received} of ${file.size} bytes.`)
    } catch (error) {
      losses += 1
      await pauseBeforeRetry(transport, error, losses, signal)
    }
  }
  const isWhole = file.size === null || received === file.size
  if (!isWhole || digest.hex() !== file.sha256)
    throw new IntegrityError('The downloaded file does not match the result: its size or its SHA-256 differs.')
  return undefined
}

/** Reads a file from the byte offset `from`. Fails if the consumer waits for a byte longer than the timeout. */
async function* readFrom(transport: Transport, { url }: Expected, from: number, signal?: AbortSignal) {
  const stop = createStop(transport.clock, [signal], transport.timeoutMs)
  try {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` }
    const response = await transport.fetch(url, { headers, signal: stop.signal })
    if (!response.ok) throw rejectionOf(response, await response.text())
    // A server without range support sends the whole file, so skip the bytes of earlier responses.
    let surplus = response.status === 206 ? 0 : from
    for await (const bytes of readPieces(response.body, stop)) {
      const piece = bytes.subarray(Math.min(surplus, bytes.length)) as Bytes
      surplus -= bytes.length - piece.length
      if (piece.length > 0) yield piece
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (stop.timedOut) throw new TimeoutError(`No data was received for ${transport.timeoutMs} ms.`, { cause: error })
    if (error instanceof TypeError) throw new ConnectionError('The download was interrupted.', { cause: error })
    throw error
  } finally {
    stop.dispose()
  }
}
