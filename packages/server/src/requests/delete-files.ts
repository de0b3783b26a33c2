import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { FinalRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { findRequest } from '../db/requests.ts'
import { markFilesDeleted, takeFiles } from '../db/sweep.ts'
import { requestNotFound } from './find.ts'
import { toFinalRequest } from './record.ts'
import { keysOf } from './result-files.ts'

/** How long a deletion may take. After this time, a worker deletes the remaining files (`expire`). */
const LEASE_MS = 20_000

type DeletedFiles = { request: FinalRequest; stuck?: unknown }

/** Deletes result files. Workers retry failed deletions. Throws `request_not_found` or `request_not_finished`. */
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
