import type { Sql } from '../../db/connection/connect.ts'
import type { ExpiredRow } from '../../db/sweep.ts'
import { markFilesDeleted, takeExpiredResults } from '../../db/sweep.ts'
import { keysOf } from '../result-files.ts'

const BATCH = 100

/** How long a batch is leased to a worker. Longer than three calls per file to a store that hangs (`store/s3.ts`). */
const LEASE_MS = 600_000

/**
 * Deletes the files of expired results. Returns the number of results. Several workers can run it. A file is deleted
 * before its row is updated, so a crash only repeats a deletion. Failed deletions are retried after ten minutes.
 */
export async function expire(sql: Sql, deleteFile: (key: string) => Promise<void>): Promise<number> {
  let count = 0
  for (;;) {
    const expired = await takeExpiredResults(sql, BATCH, LEASE_MS)
    if (expired.length === 0) return count
    const outcomes = await Promise.allSettled(expired.map((result) => deleteFiles(result, deleteFile)))
    const deleted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    await markFilesDeleted(sql, deleted)
    count += deleted.length
    const stuck = outcomes.find((outcome) => outcome.status === 'rejected')
    // Throw the error last, so that the other files are still deleted.
    if (stuck !== undefined) throw stuck.reason
    if (expired.length < BATCH) return count
  }
}

async function deleteFiles({ id, files }: ExpiredRow, deleteFile: (key: string) => Promise<void>): Promise<number> {
  for (const key of keysOf(files)) await deleteFile(key)
  return id
}
