import { fstatSync, readSync } from 'node:fs'

/** Bytes of a source of which only the start may be at hand. A read past what there is comes back shorter. */
export type ByteReader = {
  /** How long the whole source is. */
  readonly size: number
  /** Whether all of it is at hand. */
  readonly complete: boolean
  read: (offset: number, length: number) => Buffer
  /** Says that so many bytes from the start are needed; reads past the bytes at hand say it themselves. */
  need: (bytes: number) => void
  /** The most that was needed and not at hand; 0 when nothing was. */
  readonly needed: number
}

const WINDOW_BYTES = 64 * 1024

/** Reads an open file, of which `size` bytes are the whole source when `complete` is false. */
export function fileReader(fd: number, size: number, complete: boolean): ByteReader {
  const available = fstatSync(fd).size
  let window = Buffer.alloc(0)
  let windowStart = 0
  return reader(complete ? available : Math.max(size, available), available, (offset, length) => {
    const from = offset - windowStart
    if (from >= 0 && from + length <= window.length) return window.subarray(from, from + length)
    const wanted = Buffer.alloc(Math.min(Math.max(length, WINDOW_BYTES), available - offset))
    const got = wanted.subarray(0, readSync(fd, wanted, 0, wanted.length, offset))
    window = got
    windowStart = offset
    return got.subarray(0, length)
  })
}

/** Reads bytes that are in memory, as a whole source. */
export function bufferReader(bytes: Buffer): ByteReader {
  return reader(bytes.length, bytes.length, (offset, length) => bytes.subarray(offset, offset + length))
}

function reader(size: number, available: number, readAt: (offset: number, length: number) => Buffer): ByteReader {
  let needed = 0
  const need = (bytes: number) => {
    if (bytes > available && available < size) needed = Math.max(needed, Math.min(bytes, size))
  }
  return {
    size,
    complete: available >= size,
    need,
    get needed() {
      return needed
    },
    read: (offset, length) => {
      // Past the end of the whole source no download helps: the file lies, and the walker sees that it is short.
      if (offset < size) need(offset + length)
      return offset >= available || length <= 0 ? Buffer.alloc(0) : readAt(offset, Math.min(length, available - offset))
    },
  }
}
