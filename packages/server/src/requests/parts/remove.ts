import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../../db/connection/connect.ts'
import type { EndedPlan } from '../../db/parts/plans.ts'
import { deleteEndedPlans, listEndedPlans } from '../../db/parts/plans.ts'

const BATCH = 100

type DeleteFile = (key: string) => Promise<void>

/**
 * Deletes the parts of requests that have ended, and their files. Returns how many requests. Any number of workers may do
 * it at once, since what is gone is no error.
 */
export async function sweepParts(sql: Sql, deleteFile: DeleteFile): Promise<number> {
  const ended = await listEndedPlans(sql, BATCH)
  const outcomes = await Promise.allSettled(ended.map((plan) => remove(sql, plan, deleteFile)))
  const stuck = outcomes.find((outcome) => outcome.status === 'rejected')
  // What can be deleted is, before one that cannot is complained about.
  if (stuck !== undefined) throw stuck.reason
  return ended.length
}

/** Deletes the parts of one request, if it has ended and had any. */
export async function removeParts(sql: Sql, requestId: RequestId, deleteFile: DeleteFile): Promise<void> {
  for (const plan of await listEndedPlans(sql, 1, requestId)) await remove(sql, plan, deleteFile)
}

/** The files go first: a crash in between deletes them again, which does nothing. */
async function remove(sql: Sql, { requestId, keys }: EndedPlan, deleteFile: DeleteFile): Promise<void> {
  for (const key of keys) await deleteFile(key)
  // A part may have ended while its request did.
  for (const key of await deleteEndedPlans(sql, [requestId])) if (!keys.includes(key)) await deleteFile(key)
}
