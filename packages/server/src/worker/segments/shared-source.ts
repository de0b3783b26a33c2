import { open } from 'node:fs/promises'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import type { SparseFile } from '../../outbound/fetch/sparse-file.ts'
import { FIRST_BYTES_OF_SEGMENT } from './segment-source.ts'
import type { SharedSource } from './segments.ts'

const CHUNK_BYTES = 1024 * 1024

/** How many bytes from the start of the source are used to detect its format. */
const HEAD_BYTES = 64 * 1024

/**
 * Copies a source for a segment from an attempt on the same worker, so that the source is downloaded only once. A link
 * would not work, because an engine owns the files of its job.
 */
export async function openSharedSource(
  { file, signal: lent }: SharedSource,
  path: string,
  signal: AbortSignal,
): Promise<SparseFile> {
  const { size } = file
  const copy = await open(path, 'wx+', 0o600)
  const present = new ByteRanges()

  async function copyRange(from: number, to: number): Promise<void> {
    signal.throwIfAborted()
    try {
      await file.fetch(from, to - from)
      const bytes = await file.read(from, to - from)
      for (let at = 0; at < bytes.length; )
        at += (await copy.write(bytes, at, bytes.length - at, from + at)).bytesWritten
    } catch (error) {
      // If the download failed, the segment ends. If only its attempt ended, the segment downloads the source itself.
      if (lent.aborted) throw new Error('the attempt that fetches the source has ended', { cause: error })
      throw error
    }
    present.add(from, to)
  }

  async function copyMissing(offset: number, length: number): Promise<void> {
    const end = offset + length
    if (offset < 0 || length < 1 || end > size) throw new RangeError('the range is outside the source')
    for (let at = offset; at < end; at = present.endFrom(at) ?? at) {
      if (present.endFrom(at) === undefined) await copyRange(at, present.gapEnd(at, Math.min(end, at + CHUNK_BYTES)))
    }
  }

  try {
    await copy.truncate(size)
    const presentBytes = Math.min(size, FIRST_BYTES_OF_SEGMENT)
    await copyMissing(0, presentBytes)
    const { buffer, bytesRead } = await copy.read({ buffer: Buffer.alloc(Math.min(HEAD_BYTES, size)), position: 0 })
    return {
      size,
      head: buffer.subarray(0, bytesRead),
      presentBytes,
      fetch: copyMissing,
      [Symbol.asyncDispose]: () => copy.close(),
    }
  } catch (error) {
    await copy.close()
    throw error
  }
}
