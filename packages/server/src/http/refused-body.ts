import type { IncomingMessage } from 'node:http'
import { hasOwnTime } from './routes/uploads/own-time.ts'

/** The maximum number of chunks of a body. Each costs about 2 µs. */
export const MAX_PIECES = 4 * 1024

/** The minimum average size of chunks, after the first `FREE_PIECES`. */
const CRUMB_BYTES = 256
const FREE_PIECES = 64

/** The maximum time for discarding a body. */
const READ_AWAY_MS = 2_000

/**
 * Discards the rest of a rejected body, so that its client gets the response instead of a broken pipe.
 *
 * This applies to bodies without a Content-Length and to files, which may have any length. The connection closes after
 * 2 s, or as soon as the body arrives in tiny chunks.
 */
export function readAway(body: IncomingMessage): void {
  const isBounded = body.headers['transfer-encoding'] === undefined && !hasOwnTime(body)
  if (isBounded || body.complete) return
  let pieces = 0
  let bytes = 0
  let isEnding = false
  body.on('data', (piece: Buffer) => {
    pieces += 1
    bytes += piece.length
    if (isEnding || pieces < FREE_PIECES) return
    if (bytes < CRUMB_BYTES * pieces) {
      isEnding = true
      body.socket.destroySoon()
    }
  })
  setTimeout(() => void (body.complete || body.socket.destroy()), READ_AWAY_MS).unref()
}
