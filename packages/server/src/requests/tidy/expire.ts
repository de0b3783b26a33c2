import { keysOf } from '@mediamill/contract/domain/drawn/thumbnail'
import type { Sql } from '../../db/connection/connect.ts'
import type { ExpiredRow } from '../../db/sweep.ts'
import { markFilesDeleted, takeExpiredResults } from '../../db/sweep.ts'

const BATCH = 100

/** A batch is done within it even if a store that hangs is asked three times for each file (`store/s3.ts`). */
const LEASE_MS = 600_000

/**
 * Deletes the files of results whose time is over; returns how many results. Any number of workers may do it at once:
 * each takes other results.
 *
 * The files go first and the row is marked after: a crash in between deletes them again, which does nothing. What the
 * store does not delete is tried again after ten minutes, and holds up no other.
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
    // What can be deleted is, before one that cannot is complained about.
    if (stuck !== undefined) throw stuck.reason
    if (expired.length < BATCH) return count
  }
}

async function deleteFiles({ id, files }: ExpiredRow, deleteFile: (key: string) => Promise<void>): Promise<number> {
  for (const key of keysOf(files)) await deleteFile(key)
  return id
}
