import type { ReadStream } from 'node:fs'
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs'

/** A result that is open for reading. What is stored is what was checked, whatever happens to its name. */
export type OpenResult = Disposable & {
  fd: number
  inode: number
  size: number
  /** Its bytes, once. The stream has to be read or destroyed: it closes the file, as soon as nothing reads from it. */
  read(): ReadStream
}

/** A quarter of the thread pool hops that the default of 64 KiB takes. */
export const READ_BYTES = 256 * 1024

/**
 * Opens a result. Throws for a link, a pipe or a folder in its place: a link would publish whatever it points to.
 *
 * At once, without the thread pool: it takes microseconds, and each hop there and back many times as much.
 */
export function openResult(path: string): OpenResult {
  // wall: a link in place of a result that is stored
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
  // wall: a pipe in place of a result that is stored
  if (stats.isFile() && stats.nlink === 1) return result
  result[Symbol.dispose]()
  throw new Error('the result is not a plain file')
}
