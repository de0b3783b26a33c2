import type { IncomingMessage } from 'node:http'
import { hasOwnTime } from './routes/uploads/own-time.ts'

/** Pieces that a body may come in: 256 bytes each in the largest. Each costs some 2 µs, whatever its size. */
export const MAX_PIECES = 4 * 1024

/** What is read away in smaller pieces on the average is crumbs. */
const CRUMB_BYTES = 256
const FREE_PIECES = 64

/** How long the rest of a refused body is read away that does not say how long it is. */
const READ_AWAY_MS = 2_000

/**
 * Reads the rest of a refused body for a moment. So its sender hears the reason and no broken pipe.
 *
 * Only for bodies that do not say how long they are, and those of files, which may be of any length. After 2 s, or at once
 * when it goes on in crumbs, the connection is ended.
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
