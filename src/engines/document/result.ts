import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { RequestFailure } from '../../domain/errors.ts'
import { formatBytes } from '../../domain/limits.ts'
import type { OutputFormat } from '../../domain/media.ts'
import type { EngineResultFile } from '../protocol/messages.ts'

/** Writes a result to a new file from its parts. */
export async function saveResult(
  path: string,
  format: OutputFormat,
  parts: readonly Buffer[],
): Promise<EngineResultFile> {
  const hash = createHash('sha256')
  let size = 0
  for (const part of parts) {
    hash.update(part)
    size += part.length
  }
  await using file = await open(path, 'wx')
  // One call for all parts: 400 small writes cost more than everything else that is done to 200 pages.
  const { bytesWritten } = await file.writev([...parts])
  if (bytesWritten !== size) throw new Error(`${bytesWritten} of ${size} bytes were written`)
  return { path, format, size, sha256: hash.digest('hex') }
}

/** Refuses a result past the limit, before it is written. */
export function checkResultSize(size: number, maxBytes: number): void {
  if (size <= maxBytes) return
  throw new RequestFailure(
    'processing_failed',
    `The result would be ${formatBytes(size)} large; the limit is ${formatBytes(maxBytes)}. Use a smaller document or max_pages.`,
  )
}
