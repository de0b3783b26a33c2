import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../lib/error-code.ts'
import { every } from '../lib/time/every.ts'

/** A disk with less free space counts as full: a job needs space for its source and its result. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024

async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}

/** How often a small file is written. If two writes in a row fail, the disk counts as rejecting writes. */
const WRITE_MS = 5_000

/** Error codes of a disk that rejects writes: full, over its quota, read-only, or broken. */
const REJECTED: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/**
 * Returns a function that checks whether the disk accepts writes and has free space. Ignores failed writes until a
 * write has succeeded: an API server may run in a read-only container.
 */
export function watchDisk(folder: string, signal: AbortSignal, writeMs = WRITE_MS): () => Promise<boolean> {
  let hasWritten = false
  let failures = 0
  // A killed process leaves this file. The next process with the same ID overwrites the file.
  const path = join(folder, `.write-check-${process.pid}`)
  const write = async () => {
    try {
      await writeFile(path, 'x'.repeat(4096))
      hasWritten = true
      failures = 0
    } catch (error) {
      failures = REJECTED.has(codeOf(error)) ? failures + 1 : 0
    } finally {
      await rm(path, { force: true }).catch(() => undefined)
    }
  }
  void write()
  every(writeMs, signal, write)
  return async () => !(hasWritten && failures >= 2) && (await hasDiskSpace(folder))
}
