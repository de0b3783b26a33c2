import { copyFile, open } from 'node:fs/promises'
import type { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import type { FileVersion } from './range.ts'

export const HEAD_BYTES = 64 * 1024

export type SparseFile = AsyncDisposable & {
  size: number
  head: Buffer
  /** How many bytes are present from the start of the file. Without range support, all bytes are present. */
  presentBytes: number
  version?: FileVersion
  /** Fetches the missing bytes of a range. Throws like `fetchRange`, and `RangeError` for a range outside the file. */
  fetch: (offset: number, length: number) => Promise<void>
  /** Reads bytes that were already fetched. Missing if the server does not support ranges. */
  read?: (offset: number, length: number) => Promise<Buffer>
}

type RequestedRange = { offset: number; length: number; size: number; minBytes: number }

/** Calls `fetchGap`, which adds to `present`, for each missing part of a range. Extends a gap to `minBytes`. */
export async function fetchMissing(
  present: ByteRanges,
  { offset, length, size, minBytes }: RequestedRange,
  fetchGap: (start: number, end: number) => Promise<void>,
): Promise<void> {
  const end = offset + length
  if (offset < 0 || length < 1 || end > size) throw new RangeError('the range is outside the source')
  for (let at = offset; at < end; at = present.endFrom(at) ?? at) {
    if (present.endFrom(at) !== undefined) continue
    await fetchGap(at, present.gapEnd(at, Math.min(size, Math.max(end, at + minBytes))))
  }
}

export const wholeFile = (size: number, head: Buffer): SparseFile => ({
  size,
  head,
  presentBytes: size,
  fetch: async () => {},
  [Symbol.asyncDispose]: async () => {},
})

export async function copySource(from: string | URL, path: string): Promise<SparseFile> {
  await copyFile(from, path)
  await using copy = await open(path)
  const { size } = await copy.stat()
  const { buffer, bytesRead } = await copy.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 })
  return wholeFile(size, buffer.subarray(0, bytesRead))
}
