import type { Runner } from '../db/connection/connect.ts'
import { expireSoon } from '../db/uploads/uploads.ts'

/**
 * How long a file from a form is kept before a request uses it. The time starts again while the form is still arriving.
 */
export const FORM_LIFE_MS = 600_000

/** Extends the life of uploads of a form that is still arriving. If this process crashes, they expire. */
export const renewFormUploads = async (sql: Runner, ids: readonly string[]): Promise<void> =>
  expireSoon(sql, ids, FORM_LIFE_MS)
