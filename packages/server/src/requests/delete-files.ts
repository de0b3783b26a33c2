import { keysOf } from '@mediamill/contract/domain/drawn/thumbnail'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { FinalRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { findRequest } from '../db/requests.ts'
import { markFilesDeleted, takeFiles } from '../db/sweep.ts'
import { requestNotFound } from './find.ts'
import { toFinalRequest } from './record.ts'

/** How long the call has for it; then a worker does what is left (`expire`). */
const LEASE_MS = 20_000

/** A request whose files are gone for everyone. `stuck` is why the store has not deleted them yet. */
export type DeletedFiles = { request: FinalRequest; stuck?: unknown }

/**
 * Deletes the files of a finished request at its account's wish (rulings 16). From then on its links are of files that
 * were deleted. Where the store does not delete them now, a worker does so later. Without files nothing changes.
 *
 * Throws `request_not_found` or `request_not_finished`.
 */
export async function deleteFiles(
  sql: Sql,
  accountId: AccountId,
  id: RequestId,
  deleteFile: (key: string) => Promise<void>,
): Promise<DeletedFiles> {
  const taken = await takeFiles(sql, accountId, id, LEASE_MS)
  const row = taken ?? (await findRequest(sql, accountId, id))
  if (row === undefined) throw requestNotFound()
  if (row.completedAt === null) throw requestNotFinished()
  const request = toFinalRequest(row)
  if (taken === undefined) return { request }
  try {
    for (const key of keysOf(taken.files ?? [])) await deleteFile(key)
    await markFilesDeleted(sql, [id])
    return { request }
  } catch (stuck) {
    return { request, stuck }
  }
}

export function requestNotFinished(): ApiError {
  return new ApiError(
    'request_not_finished',
    'This request has not finished, so it has no files. Abort it, or delete its files when it has finished.',
  )
}
