import { withTimeout } from '../../lib/time/with-timeout.ts'
import type { Sql } from './connect.ts'

const PATIENCE_MS = 2_000

/** Returns whether the database responds within two seconds. */
export async function answers(sql: Sql): Promise<boolean> {
  const asked = sql`select 1`.then(
    () => true,
    () => false,
  )
  return await withTimeout(asked, PATIENCE_MS, () => false)
}
