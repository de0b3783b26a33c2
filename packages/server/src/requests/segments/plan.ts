import type { Sql } from '../../db/connection/connect.ts'
import type { PlannedSegment, PlanRow } from '../../db/segments/plans.ts'
import { adoptPlan, deletePlan, insertPlan, markPlanAbandoned } from '../../db/segments/plans.ts'
import type { Lease } from '../settle.ts'

export type { PlannedSegment } from '../../db/segments/plans.ts'

/** The engine library's version and our segment format. Workers claim only their own format, so versions can mix. */
export const SEGMENT_FORMAT = 'node-av 6.1.1, 2'

/** The plan of a request. If `isKnown` is false, the plan is from another version. */
export type Plan = Omit<PlanRow, 'format'> & { isKnown: boolean }

/** Stores a plan. Returns `false` if another worker holds the request or stored a plan. */
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

/** Abandons the plan and deletes its files. From then on, the request is processed unsplit. */
export async function abandonPlan(sql: Sql, lease: Lease, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await markPlanAbandoned(sql, lease), deleteFile)
}

export async function dropPlan(sql: Sql, lease: Lease, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await deletePlan(sql, lease), deleteFile)
}

async function deleteFiles(keys: readonly string[], deleteFile: (key: string) => Promise<void>): Promise<void> {
  await Promise.allSettled(keys.map((key) => deleteFile(key)))
}
