import type { Socket } from 'node:net'

/** Codes of a write whose peer has closed or reset the connection. */
const GONE = new Set(['EPIPE', 'ECONNRESET'])

type Done = (error?: Error | null) => void

/**
 * Keeps a connection readable after a write fails. A server that rejects a file sends its response and closes before it
 * has read everything. Node.js destroys a socket whose write failed, and loses a response that has already arrived.
 */
export function readAfterWriteError(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  const unlessGone = (done: Done) => (error?: NodeJS.ErrnoException | null) => {
    if (!GONE.has(error?.code ?? '')) done(error)
  }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done))
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, unlessGone(done))
}
