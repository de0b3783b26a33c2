import type { Sql } from '../../db/connection/connect.ts'
import type { ExpiredRow } from '../../db/sweep.ts'
import { markFilesDeleted, takeExpiredResults } from '../../db/sweep.ts'
import { settleAll } from '../../lib/settle-all.ts'
import { keysOf } from '../result-files.ts'

const BATCH = 100

/** How long a batch of deletions may take. If the store hangs, three tries of 60 s each fit in this time. */
const LEASE_MS = 600_000

/** Deletes expired result files. Files are deleted before their row is updated, so a crash only repeats a deletion. */
export async function expire(sql: Sql, deleteFile: (key: string) => Promise<void>): Promise<number> {
  let count = 0
  for (;;) {
    const expired = await takeExpiredResults(sql, BATCH, LEASE_MS)
    if (expired.length === 0) return count
    const { done, failure } = await settleAll(expired, (result) => deleteFiles(result, deleteFile))
    await markFilesDeleted(sql, done)
    count += done.length
    if (failure !== undefined) throw failure.reason
    if (expired.length < BATCH) return count
  }
}

async function deleteFiles({ id, files }: ExpiredRow, deleteFile: (key: string) => Promise<void>): Promise<number> {
  for (const key of keysOf(files)) await deleteFile(key)
  return id
}
