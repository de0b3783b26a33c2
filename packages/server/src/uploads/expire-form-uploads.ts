import type { Runner } from '../db/connection/connect.ts'
import { expireSoon } from '../db/uploads/uploads.ts'

/** How long an upload of a form is kept without a request that uses it. Renewed while the form arrives. */
const LIFE_MS = 600_000

/** Lets complete uploads of a form expire soon, so that cleanup deletes them even if this process crashes. */
export const expireFormUploads = async (sql: Runner, ids: readonly string[]): Promise<void> =>
  expireSoon(sql, ids, LIFE_MS)
