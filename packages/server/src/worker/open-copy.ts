import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import { HEAD_BYTES } from '../outbound/fetch/source-file.ts'

/** An additional call costs more than additional bytes. */
const MIN_BYTES = 1024 * 1024

/** `end` is exclusive. */
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
    const fetchRange = async (offset: number, length: number): Promise<void> => {
      const end = offset + length
      if (offset < 0 || length < 1 || end > size) throw new RangeError('the range is outside the source')
      for (let at = offset; at < end; at = present.endFrom(at) ?? at) {
        if (present.endFrom(at) !== undefined) continue
        const to = present.gapEnd(at, Math.min(size, Math.max(end, at + MIN_BYTES)))
        await copyRange(file, { start: at, end: to })
        present.add(at, to)
      }
    }
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
