import type { Sql } from './connect.ts'

const PATIENCE_MS = 2_000

/** Whether the database answers, within two seconds. */
export async function answers(sql: Sql): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, PATIENCE_MS, false)
  const asked = sql`select 1`.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}
