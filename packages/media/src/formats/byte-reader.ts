import { fstatSync, readSync } from 'node:fs'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'

export type Part = { offset: number; length: number }

/** Reads a source that may be incomplete. If bytes are missing, `read` returns fewer bytes. */
export type ByteReader = {
  readonly size: number
  readonly complete: boolean
  read: (offset: number, length: number) => Buffer
  /** The first range that a read needed but the file lacks. If it is set, later results of `read` are unreliable. */
  readonly missing: Part | undefined
  requireRest: () => void
}

const WINDOW_BYTES = 64 * 1024

/** Reads an open file that contains only the ranges `present` of a source of `size` bytes. */
export function fileReader(fd: number, size: number, present: ByteRanges): ByteReader {
  const { size: fileSize } = fstatSync(fd)
  let window = Buffer.alloc(0)
  let windowStart = 0
  return reader(size, present, (offset, length) => {
    const from = offset - windowStart
    if (from >= 0 && from + length <= window.length) return window.subarray(from, from + length)
    const end = Math.min(present.endFrom(offset) ?? offset, fileSize)
    const buffer = Buffer.alloc(Math.max(0, Math.min(Math.max(length, WINDOW_BYTES), end - offset)))
    window = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, offset))
    windowStart = offset
    return window.subarray(0, length)
  })
}

export function bufferReader(bytes: Buffer): ByteReader {
  return reader(bytes.length, firstBytes(bytes.length), (offset, length) => bytes.subarray(offset, offset + length))
}

export function firstBytes(length: number): ByteRanges {
  const present = new ByteRanges()
  present.add(0, length)
  return present
}

function reader(size: number, present: ByteRanges, readAt: (offset: number, length: number) => Buffer): ByteReader {
  let missing: Part | undefined
  const complete = size === 0 || present.endFrom(0) === size
  return {
    size,
    complete,
    get missing() {
      return missing
    },
    requireRest() {
      if (missing !== undefined) missing = { offset: missing.offset, length: size - missing.offset }
    },
    read(offset, length) {
      // Bytes after the end of the source do not count as missing. Only a wrong offset in the file refers to them.
      const end = Math.min(offset + length, size)
      if (offset >= end) return Buffer.alloc(0)
      const known = present.endFrom(offset) ?? offset
      if (known < end) missing ??= { offset: known, length: end - known }
      return known > offset ? readAt(offset, Math.min(end, known) - offset) : Buffer.alloc(0)
    },
  }
}
