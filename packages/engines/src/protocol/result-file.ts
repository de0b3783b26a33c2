import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, rmSync, writeFileSync, writevSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_THUMBNAIL_BYTES } from '@mediamill/contract/domain/drawn/thumbnail'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/domain/limits'
import type { OutputFormat } from '@mediamill/contract/domain/media'
import type { EngineJob, EngineLimits, EngineResultFile, EngineThumbnail } from './messages.ts'

/** Where the result of a job goes. */
export const resultPath = ({ scratch }: Pick<EngineJob, 'scratch'>, format: OutputFormat): string =>
  join(scratch, `result.${format}`)

/**
 * Writes the result of a job from its parts. It returns what the worker has to know of it.
 *
 * Throws `RequestFailure` before anything is written when it is past the limit; `wayOut` says what a client can do then.
 */
export function writeResult(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
  format: OutputFormat,
  { parts, wayOut }: { parts: readonly Buffer[]; wayOut: string },
): EngineResultFile {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const { maxResultBytes } = job.limits
  if (size > maxResultBytes) {
    throw tooLarge(`${formatBytes(size)} large; the limit is ${formatBytes(maxResultBytes)}. ${wayOut}`)
  }
  const path = resultPath(job, format)
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  writeParts(path, parts, size)
  return { path, format, size, sha256: hash.digest('hex') }
}

/**
 * Writes a new file from its parts.
 *
 * At once: the one job of this process waits for it, and each hop through the thread pool takes longer. And in one call:
 * 400 small writes cost more than everything else that is done to 200 pages.
 */
function writeParts(path: string, parts: readonly Buffer[], size: number): void {
  const file = openSync(path, 'wx')
  try {
    const written = writevSync(file, parts)
    if (written !== size) throw new Error(`${written} of ${size} bytes were written`)
  } finally {
    closeSync(file)
  }
}

/** Describes a result that a library has written to `resultPath`. It throws as `writeResult` does. */
export async function describeResult(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
  format: OutputFormat,
  wayOut: string,
): Promise<EngineResultFile> {
  const path = resultPath(job, format)
  const { size } = await stat(path)
  checkWritten(size, job.limits, wayOut)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return { path, format, size, sha256: hash.digest('hex') }
}

/** Throws `RequestFailure` when a file that a library writes is past the limit. The library may still be writing it. */
export function checkWritten(size: number, { maxResultBytes }: Pick<EngineLimits, 'maxResultBytes'>, wayOut: string) {
  if (size > maxResultBytes) throw tooLarge(`larger than ${formatBytes(maxResultBytes)}, the limit. ${wayOut}`)
}

const tooLarge = (words: string) => new RequestFailure('processing_failed', `The result is ${words}`)

/** Writes a thumbnail into the job's folder. None, where it is too large or cannot be written. */
export function writeThumbnail(
  { scratch }: Pick<EngineJob, 'scratch'>,
  bytes: Buffer,
): { thumbnail?: EngineThumbnail } {
  if (bytes.length > MAX_THUMBNAIL_BYTES) return {}
  const path = join(scratch, 'thumbnail.webp')
  try {
    writeFileSync(path, bytes, { flag: 'wx' })
    return { thumbnail: { path, size: bytes.length } }
  } catch {
    rmSync(path, { force: true })
    return {}
  }
}
