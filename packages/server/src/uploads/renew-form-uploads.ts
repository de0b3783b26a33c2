import type { Runner } from '../db/connection/connect.ts'
import { expireSoon } from '../db/uploads/uploads.ts'

/** How long an upload of a form is kept without a request that uses it. Renewed while the form arrives. */
export const FORM_LIFE_MS = 600_000

/** Renews complete uploads of a form that is still arriving, so that cleanup deletes them if this process crashes. */
export const renewFormUploads = async (sql: Runner, ids: readonly string[]): Promise<void> =>
  expireSoon(sql, ids, FORM_LIFE_MS)
