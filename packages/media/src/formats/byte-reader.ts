import { fstatSync, readSync } from 'node:fs'
import { Spans } from '@mediamill/contract/lib/spans'

/** A part of a source, in bytes from its start. */
export type Part = { offset: number; length: number }

/** Bytes of a source of which only parts may be at hand. A read past what there is comes back shorter. */
export type ByteReader = {
  /** How long the whole source is. */
  readonly size: number
  /** Whether all of it is at hand. */
  readonly complete: boolean
  read: (offset: number, length: number) => Buffer
  /** The first part that was read and not at hand; reads after it say nothing more. */
  readonly missing: Part | undefined
  /** Says, where a part was missing, that all that follows will be needed too. */
  needRest: () => void
}

const WINDOW_BYTES = 64 * 1024

/** Reads an open file that holds only parts of a source. `present` says which; the source has `size` bytes. */
export function fileReader(fd: number, size: number, present: Spans): ByteReader {
  const { size: fileSize } = fstatSync(fd)
  let window = Buffer.alloc(0)
  let windowStart = 0
  return reader(size, present, (offset, length) => {
    const from = offset - windowStart
    if (from >= 0 && from + length <= window.length) return window.subarray(from, from + length)
    const end = Math.min(present.endFrom(offset) ?? offset, fileSize)
    const wanted = Buffer.alloc(Math.max(0, Math.min(Math.max(length, WINDOW_BYTES), end - offset)))
    window = wanted.subarray(0, readSync(fd, wanted, 0, wanted.length, offset))
    windowStart = offset
    return window.subarray(0, length)
  })
}

/** Reads bytes that are in memory, as a whole source. */
export function bufferReader(bytes: Buffer): ByteReader {
  return reader(bytes.length, firstBytes(bytes.length), (offset, length) => bytes.subarray(offset, offset + length))
}

/** Describes a source of which only some bytes from the start are there. */
export function firstBytes(length: number): Spans {
  const present = new Spans()
  present.add(0, length)
  return present
}

function reader(size: number, present: Spans, readAt: (offset: number, length: number) => Buffer): ByteReader {
  let missing: Part | undefined
  const complete = size === 0 || present.endFrom(0) === size
  return {
    size,
    complete,
    get missing() {
      return missing
    },
    needRest() {
      if (missing !== undefined) missing = { offset: missing.offset, length: size - missing.offset }
    },
    read(offset, length) {
      // Past the end of the whole source no download helps: the file lies, and the walker sees that it is short.
      const end = Math.min(offset + length, size)
      if (offset >= end) return Buffer.alloc(0)
      const known = present.endFrom(offset) ?? offset
      if (known < end) missing ??= { offset: known, length: end - known }
      return known > offset ? readAt(offset, Math.min(end, known) - offset) : Buffer.alloc(0)
    },
  }
}
