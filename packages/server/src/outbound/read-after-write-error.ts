import type { Socket } from 'node:net'

const GONE = new Set(['EPIPE', 'ECONNRESET'])

type Done = (error?: Error | null) => void

/** Keeps a socket readable after a failed write. A server can reject a file with a response, and close early. */
export function readAfterWriteError(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  const unlessGone = (done: Done) => (error?: NodeJS.ErrnoException | null) => {
    if (!GONE.has(error?.code ?? '')) done(error)
  }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done))
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, unlessGone(done))
}
