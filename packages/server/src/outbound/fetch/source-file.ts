import { copyFile, open } from 'node:fs/promises'
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

export const wholeFile = (size: number, head: Buffer): SparseFile => ({
  size,
  head,
  presentBytes: size,
  fetch: async () => {},
  [Symbol.asyncDispose]: async () => {},
})

export async function copyWhole(from: string | URL, path: string): Promise<SparseFile> {
  await copyFile(from, path)
  await using copy = await open(path)
  const { size } = await copy.stat()
  const { buffer, bytesRead } = await copy.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 })
  return wholeFile(size, buffer.subarray(0, bytesRead))
}
