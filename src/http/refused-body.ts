import type { IncomingMessage } from 'node:http'
import { hasOwnTime } from './routes/uploads/own-time.ts'

/** Pieces that are read of one body, whether it is taken or not: each costs some 2 µs, whatever its size. */
export const MAX_PIECES = 16 * 1024

/** How long the rest of a refused body is read away that does not say how long it is. */
const READ_AWAY_MS = 2_000

/**
 * Reads the rest of a refused body away for a moment, so that its sender hears the reason and no broken pipe.
 *
 * Only for bodies that do not say how long they are, and those of files, which may be of any length. After 2 s, or `MAX_PIECES` more, the connection is ended.
 */
export function readAway(body: IncomingMessage): void {
  const isBounded = body.headers['transfer-encoding'] === undefined && !hasOwnTime(body)
  if (isBounded || body.complete) return
  let pieces = 0
  body.on('data', () => {
    pieces += 1
    // wall: a refused body in crumbs
    if (pieces === MAX_PIECES) body.socket.destroySoon()
  })
  // wall: a refused body that goes on
  setTimeout(() => void (body.complete || body.socket.destroy()), READ_AWAY_MS).unref()
}
