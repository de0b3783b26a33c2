import type { Socket } from 'node:net'

const CLOSED_CODES = new Set(['EPIPE', 'ECONNRESET'])

type Done = (error?: Error | null) => void

/**
 * Lets the response be read after a write failed. A server that rejects a file may send its response and close the
 * connection before the whole file was sent.
 */
export function readAfterWriteError(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  const unlessClosed = (done: Done) => (error?: NodeJS.ErrnoException | null) => {
    if (!CLOSED_CODES.has(error?.code ?? '')) done(error)
  }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessClosed(done))
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, unlessClosed(done))
}
