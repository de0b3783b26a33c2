import type { Sql } from '../../db/connection/connect.ts'
import type { PlannedPart, PlanRow } from '../../db/parts/plans.ts'
import { adoptPlan, deletePlan, giveUpPlan, insertPlan } from '../../db/parts/plans.ts'
import type { Held } from '../settle.ts'

export { countFreePlaces } from '../../db/parts/parts.ts'
export type { PlannedPart } from '../../db/parts/plans.ts'

/**
 * Names what makes parts that fit together. It is the engine's library, and this project's own way with it.
 *
 * A worker claims no part of another format, so versions mix in a fleet. Parts of two encoders are not joined.
 */
export const PART_FORMAT = 'node-av 6.1.1, 2'

/** The plan that a request has. It is another version's where `isKnown` is not true. */
export type Plan = Omit<PlanRow, 'format'> & { isKnown: boolean }

/** Writes the plan of a held request and its parts. Returns `false` when another worker holds it or wrote one. */
export async function writePlan(
  sql: Sql,
  held: Held,
  plan: { source: unknown; plan: unknown },
  parts: readonly PlannedPart[],
): Promise<boolean> {
  return await insertPlan(sql, held, { ...plan, format: PART_FORMAT }, parts)
}

/** Carries on the plan that an earlier attempt has made, if there is one. */
export async function carryOn(sql: Sql, held: Held): Promise<Plan | undefined> {
  const row = await adoptPlan(sql, held)
  return row && { source: row.source, plan: row.plan, givenUp: row.givenUp, isKnown: row.format === PART_FORMAT }
}

/** Gives the plan of a held request up. It goes in one piece from now on; the files of its parts are deleted. */
export async function giveUp(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await giveUpPlan(sql, held), deleteFile)
}

/** Deletes the plan of a held request and its files. It can be planned anew then. */
export async function dropPlan(sql: Sql, held: Held, deleteFile: (key: string) => Promise<void>): Promise<void> {
  await deleteFiles(await deletePlan(sql, held), deleteFile)
}

/** What the store does not delete now has no row any more, and is swept as an orphan. */
async function deleteFiles(keys: readonly string[], deleteFile: (key: string) => Promise<void>): Promise<void> {
  await Promise.allSettled(keys.map((key) => deleteFile(key)))
}
