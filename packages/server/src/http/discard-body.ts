import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import type { FastifyReply } from 'fastify'
import { hasNoTimeout } from './routes/uploads/body-timeout.ts'

export const MAX_CHUNKS = 4 * 1024

/** The minimum average size of a chunk. The first `FREE_CHUNKS` chunks can be smaller. */
const MIN_CHUNK_BYTES = 256
const FREE_CHUNKS = 64

/** If the Content-Length of an unread body is below this, the server reads the body and keeps the connection open. */
const MAX_KEPT_BYTES = 64 * MAX_BODY_BYTES

const MAX_DISCARDED_BYTES = MAX_BODY_BYTES

const DISCARD_MS = 2_000

/**
 * Discards the rest of a body. Otherwise, a client that is still sending would get a broken pipe instead of the
 * response. If the body is too long or too slow, closes the connection after 2 s, so that the client can read the
 * response, like lingering_close of nginx.
 */
export function discardBody(body: IncomingMessage, reply: FastifyReply): void {
  if (body.complete) return
  const isChunked = body.headers['transfer-encoding'] !== undefined
  const announced = isChunked ? Infinity : Number(body.headers['content-length'] ?? 0)
  const isShort = announced < MAX_KEPT_BYTES
  // Node's timeout limits the time of this body.
  if (isShort && !hasNoTimeout(body)) return
  const maxBytes = isShort ? announced : MAX_DISCARDED_BYTES
  let chunks = 0
  let bytes = 0
  let isEnding = false
  body.on('data', (chunk: Buffer) => {
    chunks += 1
    bytes += chunk.length
    const isTiny = chunks >= FREE_CHUNKS && bytes < MIN_CHUNK_BYTES * chunks
    if (!isTiny && bytes <= maxBytes) return
    body.pause()
    if (isEnding) return
    isEnding = true
    if (isTiny) body.socket.destroySoon()
    else if (reply.raw.writableFinished) body.socket.end()
    else reply.raw.once('finish', () => body.socket.end())
  })
  setTimeout(() => void (body.complete || body.socket.destroy()), DISCARD_MS).unref()
}
