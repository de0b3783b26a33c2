import type { ReadStream } from 'node:fs'
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs'

/** An open result file. If another file replaces the path, `read` still returns the bytes of the opened file. */
type OpenResult = Disposable & {
  fd: number
  inode: number
  size: number
  /** Reads the bytes once. To close the file, read the stream to its end or destroy it. */
  read(): ReadStream
}

export const READ_BYTES = 256 * 1024

/** Opens a result file. Throws for a pipe, a folder, or a link. A symbolic or hard link could publish another file. */
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
  throw new Error('the result is a link or a folder, not a file')
}
