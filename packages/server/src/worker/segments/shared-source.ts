import { writeAt } from '../../lib/write-at.ts'
import type { SparseFile } from '../../outbound/fetch/source-file.ts'
import { openCopy } from '../open-copy.ts'
import { FIRST_BYTES_OF_SEGMENT } from './segment-source.ts'
import type { SharedSource } from './segments.ts'

const CHUNK_BYTES = 1024 * 1024

/** Opens a copy of the source. A link would not work, because an engine owns the files of its job. */
export async function openSharedSource(
  { file, signal: lent }: SharedSource,
  path: string,
  signal: AbortSignal,
): Promise<SparseFile> {
  const { size } = file
  return await openCopy(path, { size, firstBytes: FIRST_BYTES_OF_SEGMENT }, async (copy, { start, end }) => {
    for (let from = start; from < end; from += CHUNK_BYTES) {
      signal.throwIfAborted()
      const length = Math.min(end - from, CHUNK_BYTES)
      try {
        await file.fetch(from, length)
        await writeAt(copy, await file.read(from, length), from)
      } catch (error) {
        // If the download failed, the segment ends. If only the attempt that downloads ended, the segment is retried,
        // and downloads the source itself.
        if (lent.aborted) throw new Error('the attempt that fetches the source has ended', { cause: error })
        throw error
      }
    }
  })
}
