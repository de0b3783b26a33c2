import type { Sql } from '../db/connect.ts'
import { listExpiredResults, markFilesDeleted } from '../db/finish-request.ts'
import { deleteOldKeys } from '../db/idempotency.ts'

const BATCH = 500

/**
 * Deletes the files of results whose time is over, and old idempotency records; returns how many results.
 *
 * The files go first and the row is marked after: a crash in between deletes them again, which does nothing.
 */
export async function expire(sql: Sql, deleteFile: (key: string) => Promise<void>): Promise<number> {
  let count = 0
  for (;;) {
    const expired = await listExpiredResults(sql, BATCH)
    if (expired.length === 0) break
    for (const { files } of expired) for (const file of files) await deleteFile(file.key)
    await markFilesDeleted(
      sql,
      expired.map(({ id }) => id),
    )
    count += expired.length
  }
  while ((await deleteOldKeys(sql, BATCH)) === BATCH);
  return count
}
