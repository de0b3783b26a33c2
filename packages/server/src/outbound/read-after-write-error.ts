import type { Socket } from 'node:net'

/** Codes of a write whose peer has closed or reset the connection. */
const GONE = new Set(['EPIPE', 'ECONNRESET'])

type Done = (error?: Error | null) => void

/** A server that rejects a file responds and closes early. Node.js would lose that response after a failed write. */
export function readAfterWriteError(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  const unlessGone = (done: Done) => (error?: NodeJS.ErrnoException | null) => {
    if (!GONE.has(error?.code ?? '')) done(error)
  }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done))
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, unlessGone(done))
}
