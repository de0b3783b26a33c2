import type { IncomingMessage } from 'node:http'
import { hasNoTimeout } from './routes/uploads/body-timeout.ts'

/** The maximum number of chunks to read from a rejected body. A chunk takes about 2 µs. */
export const MAX_CHUNKS = 4 * 1024

/** The minimum average size of a chunk. The first `FREE_CHUNKS` chunks can be smaller. */
const MIN_CHUNK_BYTES = 256
const FREE_CHUNKS = 64

/** How long to read the rest of a rejected body. */
const DISCARD_MS = 2_000

/**
 * Reads and discards the rest of a rejected body. Otherwise, the client gets a broken pipe instead of the response.
 * Closes the connection after 2 s, or if the body arrives in tiny chunks.
 */
export function discardBody(body: IncomingMessage): void {
  const isBounded = body.headers['transfer-encoding'] === undefined && !hasNoTimeout(body)
  if (isBounded || body.complete) return
  let chunks = 0
  let bytes = 0
  let isEnding = false
  body.on('data', (chunk: Buffer) => {
    chunks += 1
    bytes += chunk.length
    if (isEnding || chunks < FREE_CHUNKS) return
    if (bytes < MIN_CHUNK_BYTES * chunks) {
      isEnding = true
      body.socket.destroySoon()
    }
  })
  setTimeout(() => void (body.complete || body.socket.destroy()), DISCARD_MS).unref()
}
