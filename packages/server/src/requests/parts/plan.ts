import type { Sql } from '../../db/connection/connect.ts'
import type { PlannedPart, PlanRow } from '../../db/parts/plans.ts'
import { adoptPlan, deletePlan, insertPlan, markPlanAbandoned } from '../../db/parts/plans.ts'
import type { Held } from '../settle.ts'

export type { PlannedPart } from '../../db/parts/plans.ts'

/** The engine library's version and our segment format. Workers claim only their own format, so versions can mix. */
export const PART_FORMAT = 'node-av 6.1.1, 2'

/** The plan of a request. If `isKnown` is false, the plan is from another version. */
export type Plan = Omit<PlanRow, 'format'> & { isKnown: boolean }

/** Stores a plan. Returns `false` if another worker holds the request or stored a plan. */
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

/** Abandons the plan and deletes its files. From then on, the request is processed unsplit. */
export async function abandonPlan(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await markPlanAbandoned(sql, held), deleteFile)
}

export async function dropPlan(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await deletePlan(sql, held), deleteFile)
}

async function deleteFiles(keys: readonly string[], deleteFile: (key: string) => Promise<void>): Promise<void> {
  await Promise.allSettled(keys.map((key) => deleteFile(key)))
}
