import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../../db/connection/connect.ts'
import type { EndedPlan } from '../../db/segments/plans.ts'
import { deleteEndedPlans, listEndedPlans } from '../../db/segments/plans.ts'
import { settleAll } from '../../lib/settle-all.ts'

const BATCH = 100

type DeleteFile = (key: string) => Promise<void>

export async function sweepSegments(sql: Sql, deleteFile: DeleteFile): Promise<number> {
  const ended = await listEndedPlans(sql, BATCH)
  const { failure } = await settleAll(ended, (plan) => remove(sql, plan, deleteFile))
  if (failure !== undefined) throw failure.reason
  return ended.length
}

export async function removeSegments(sql: Sql, requestId: RequestId, deleteFile: DeleteFile): Promise<void> {
  for (const plan of await listEndedPlans(sql, 1, requestId)) await remove(sql, plan, deleteFile)
}

async function remove(sql: Sql, { requestId, keys }: EndedPlan, deleteFile: DeleteFile): Promise<void> {
  for (const key of keys) await deleteFile(key)
  // Another segment may have finished after `keys` was read. Delete its file too.
  for (const key of await deleteEndedPlans(sql, [requestId])) if (!keys.includes(key)) await deleteFile(key)
}
