import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, writevSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { OutputFormat } from '@mediamill/contract/domain/media'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { EngineJob, EngineLimits, EngineResultFile } from './messages.ts'

export const resultPath = ({ scratch }: Pick<EngineJob, 'scratch'>, format: OutputFormat, name = 'result'): string =>
  join(scratch, `${name}.${format}`)

/** Writes a result file. If the result exceeds the limit, throws `RequestFailure` before writing. */
export function writeResult(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
  format: OutputFormat,
  { parts, fix, name }: { parts: readonly Buffer[]; fix: string; name?: string },
): EngineResultFile {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const { maxResultBytes } = job.limits
  if (size > maxResultBytes) {
    throw tooLarge(`${formatBytes(size)} large; the limit is ${formatBytes(maxResultBytes)}. ${fix}`)
  }
  const path = resultPath(job, format, name)
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  writeParts(path, parts, size)
  return { path, format, size, sha256: hash.digest('hex') }
}

/**
 * Writes all parts with one call, because many small writes would be slow. The call may be synchronous, because no
 * other job runs in this process.
 */
function writeParts(path: string, parts: readonly Buffer[], size: number): void {
  const file = openSync(path, 'wx')
  try {
    const written = writevSync(file, parts)
    if (written !== size) throw new Error(`only ${written} of ${size} bytes were written`)
  } finally {
    closeSync(file)
  }
}

export async function describeResult(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
  format: OutputFormat,
  fix: string,
): Promise<EngineResultFile> {
  const path = resultPath(job, format)
  const { size } = await stat(path)
  checkWritten(size, job.limits, fix)
  return { path, format, size, sha256: await hashFile(path) }
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Throws if a result exceeds the limit. Can be called while a library is writing the file. */
export function checkWritten(size: number, limits: Pick<EngineLimits, 'maxResultBytes'>, fix: string): void {
  if (size > limits.maxResultBytes) throw resultTooLarge(limits, fix)
}

/** Returns the failure for a result whose whole size is unknown. */
export function resultTooLarge({ maxResultBytes }: Pick<EngineLimits, 'maxResultBytes'>, fix: string): RequestFailure {
  return tooLarge(`larger than ${formatBytes(maxResultBytes)}, the limit. ${fix}`)
}

const tooLarge = (words: string) => new RequestFailure('processing_failed', `The result is ${words}`)
