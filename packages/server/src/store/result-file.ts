import type { ReadStream } from 'node:fs'
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs'

/** A result that is open for reading. The opened file is stored even if another file replaces it at its path. */
export type OpenResult = Disposable & {
  fd: number
  inode: number
  size: number
  /** Reads the bytes once. Read or destroy the stream: it closes the file when it ends. */
  read(): ReadStream
}

/** The size of a read. Larger than the default of 64 KiB, to reduce thread pool calls. */
export const READ_BYTES = 256 * 1024

/** Opens a result. Throws for a link, a pipe, or a folder in its place, because a link would publish its target. */
export function openResult(path: string): OpenResult {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = fstatSync(fd)
  let isOurs = true
  const result: OpenResult = {
    fd,
    inode: stats.ino,
    size: stats.size,
    read() {
      isOurs = false
      return createReadStream(path, { fd, highWaterMark: READ_BYTES })
    },
    [Symbol.dispose]() {
      if (isOurs) closeSync(fd)
    },
  }
  if (stats.isFile() && stats.nlink === 1) return result
  result[Symbol.dispose]()
  throw new Error('the result is not a plain file')
}
