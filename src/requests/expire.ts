import type { Sql } from '../db/connect.ts'
import { type ExpiredRow, listExpiredResults, markFilesDeleted } from '../db/finish-request.ts'
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
    const outcomes = await Promise.allSettled(expired.map((result) => deleteFiles(result, deleteFile)))
    const deleted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    await markFilesDeleted(sql, deleted)
    count += deleted.length
    const stuck = outcomes.find((outcome) => outcome.status === 'rejected')
    // What can be deleted is, before one that cannot is complained about.
    if (stuck !== undefined) throw stuck.reason
    if (expired.length < BATCH) break
  }
  while ((await deleteOldKeys(sql, BATCH)) === BATCH);
  return count
}

async function deleteFiles({ id, files }: ExpiredRow, deleteFile: (key: string) => Promise<void>): Promise<number> {
  for (const file of files) await deleteFile(file.key)
  return id
}
