import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import { fetchMissing, HEAD_BYTES } from '../outbound/fetch/source-file.ts'

/** How many bytes a call copies at least. An additional call costs more than additional bytes. */
const MIN_BYTES = 1024 * 1024

/** Copies a range of the source into the file. `end` is exclusive. */
type CopyRange = (file: FileHandle, range: { start: number; end: number }) => Promise<void>

export async function openCopy(
  path: string,
  { size, firstBytes }: { size: number; firstBytes: number },
  copyRange: CopyRange,
): Promise<SparseFile> {
  const file = await open(path, 'wx+', 0o600)
  try {
    await file.truncate(size)
    const present = new ByteRanges()
    const copyGap = async (start: number, end: number) => {
      await copyRange(file, { start, end })
      present.add(start, end)
    }
    const fetchRange = (offset: number, length: number) =>
      fetchMissing(present, { offset, length, size, minBytes: MIN_BYTES }, copyGap)
    await fetchRange(0, Math.min(size, Math.max(HEAD_BYTES, firstBytes)))
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(HEAD_BYTES, size)), position: 0 })
    return {
      size,
      head: buffer.subarray(0, bytesRead),
      presentBytes: present.endFrom(0) ?? 0,
      fetch: fetchRange,
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
