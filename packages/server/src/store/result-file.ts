import type { ReadStream } from 'node:fs'
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs'

/** An open result file. Its bytes are stored even if another file replaces it at its path. */
export type OpenResult = Disposable & {
  fd: number
  inode: number
  size: number
  /** Reads the bytes, once. The stream must be read or destroyed; it then closes the file. */
  read(): ReadStream
}

/** The size of a read. It is larger than the default of 64 KiB, to save calls of the thread pool. */
export const READ_BYTES = 256 * 1024

/** Opens a result file. Throws for a link, because its target would be published, and for a pipe or a folder. */
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
