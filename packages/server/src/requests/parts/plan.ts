import type { Sql } from '../../db/connection/connect.ts'
import type { PlannedPart, PlanRow } from '../../db/parts/plans.ts'
import { adoptPlan, deletePlan, insertPlan, markPlanAbandoned } from '../../db/parts/plans.ts'
import type { Held } from '../settle.ts'

export { countFreeSlots } from '../../db/parts/parts.ts'
export type { PlannedPart } from '../../db/parts/plans.ts'

/**
 * The version of the segment format: the engine's library, and this project's use of it. A worker claims only segments
 * of its own format, so that versions can mix in a fleet. Segments of two encoders are never joined.
 */
export const PART_FORMAT = 'node-av 6.1.1, 2'

/** The plan of a request. If `isKnown` is false, the plan is from another version. */
export type Plan = Omit<PlanRow, 'format'> & { isKnown: boolean }

/**
 * Writes the plan of a held request and its segments. Returns `false` if another worker holds the request or wrote a
 * plan.
 */
export async function writePlan(
  sql: Sql,
  held: Held,
  plan: { source: unknown; plan: unknown },
  parts: readonly PlannedPart[],
): Promise<boolean> {
  return await insertPlan(sql, held, { ...plan, format: PART_FORMAT }, parts)
}

export async function resumePlan(sql: Sql, held: Held): Promise<Plan | undefined> {
  const row = await adoptPlan(sql, held)
  return (
    row && { source: row.source, plan: row.plan, isAbandoned: row.isAbandoned, isKnown: row.format === PART_FORMAT }
  )
}

/**
 * Abandons the plan of a held request and deletes the files of its segments. From then on, the request is processed
 * unsplit.
 */
export async function abandonPlan(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await markPlanAbandoned(sql, held), deleteFile)
}

export async function dropPlan(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await deletePlan(sql, held), deleteFile)
}

/** Deletes files. */
async function deleteFiles(keys: readonly string[], deleteFile: (key: string) => Promise<void>): Promise<void> {
  await Promise.allSettled(keys.map((key) => deleteFile(key)))
}
