import type { Sql } from '../../db/connection/connect.ts'
import { deleteOldKeys } from '../../db/idempotency.ts'
import { deleteOldAttempts, returnToNow } from '../../db/prune.ts'
import { deleteLostWorkers } from '../../db/workers.ts'

const BATCH = 500

/** The maximum number of batches of a run, so that a backlog does not delay the other work of the process. */
const BATCHES = 20

/** Deletes old rows (docs/operate/README.md). Several workers can run this at once. */
export async function prune(sql: Sql): Promise<void> {
  for (const forget of [deleteOldKeys, deleteOldAttempts]) {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      if ((await forget(sql, BATCH)) < BATCH) break
    }
  }
  await returnToNow(sql)
  await deleteLostWorkers(sql)
}
