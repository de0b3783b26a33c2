import type { Socket } from 'node:net'

/** What a write says when the other side has closed or reset the connection. */
const GONE = new Set(['EPIPE', 'ECONNRESET'])

type Done = (error?: Error | null) => void

/**
 * Lets a connection be read to its end though writing to it fails.
 *
 * A server that refuses a file answers, and closes before it has read all. Node destroys a socket whose write failed, and
 * with it an answer that is already there. So a write that fails stays under way: nothing more is written, and reading
 * finds the answer, or how the connection ended.
 */
export function outliveBrokenWrites(socket: Socket): void {
  const [write, writeAll] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  const unlessGone = (done: Done) => (error?: NodeJS.ErrnoException | null) => {
    if (!GONE.has(error?.code ?? '')) done(error)
  }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done))
  if (writeAll !== undefined) socket._writev = (chunks, done) => writeAll(chunks, unlessGone(done))
}
