import type { Runner } from '../db/connection/connect.ts'
import { expireSoon } from '../db/uploads/uploads.ts'

/** How long a file of a form is kept until a request uses it. The time restarts while the form is arriving. */
export const FORM_LIFE_MS = 600_000

/** Extends the life of a form's uploads while the form is arriving. After a crash, they expire. */
export const renewFormUploads = async (sql: Runner, ids: readonly string[]): Promise<void> =>
  expireSoon(sql, ids, FORM_LIFE_MS)
