import type { Sql } from '../../db/connection/connect.ts'
import type { PlannedSegment, PlanRow } from '../../db/segments/plans.ts'
import { adoptPlan, deletePlan, insertPlan, markPlanAbandoned } from '../../db/segments/plans.ts'
import type { Lease } from '../settle.ts'

export type { PlannedSegment } from '../../db/segments/plans.ts'

/** The version of the engine's library, and of the segment format. A worker claims only segments of its own version. */
export const SEGMENT_FORMAT = 'node-av 6.1.1, 2'

/** The plan of a split video. If `isKnown` is false, a worker of another version wrote the plan. */
type Plan = Omit<PlanRow, 'format'> & { isKnown: boolean }

/** Stores the plan of a split video. Returns `false` if another worker has taken over the request, or stored a plan. */
export async function writePlan(
  sql: Sql,
  lease: Lease,
  plan: { source: unknown; plan: unknown },
  segments: readonly PlannedSegment[],
): Promise<boolean> {
  return await insertPlan(sql, lease, { ...plan, format: SEGMENT_FORMAT }, segments)
}

export async function resumePlan(sql: Sql, lease: Lease): Promise<Plan | undefined> {
  const row = await adoptPlan(sql, lease)
  return (
    row && { source: row.source, plan: row.plan, isAbandoned: row.isAbandoned, isKnown: row.format === SEGMENT_FORMAT }
  )
}

export async function abandonPlan(sql: Sql, lease: Lease, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await markPlanAbandoned(sql, lease), deleteFile)
}

export async function dropPlan(sql: Sql, lease: Lease, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await deletePlan(sql, lease), deleteFile)
}

async function deleteFiles(keys: readonly string[], deleteFile: (key: string) => Promise<void>): Promise<void> {
  await Promise.allSettled(keys.map((key) => deleteFile(key)))
}
