import { deleteLostWorkers } from '../../db/claim-requests.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { deleteOldKeys } from '../../db/idempotency.ts'
import { deleteOldAttempts, returnToNow } from '../../db/prune.ts'

const BATCH = 500

/** So much at a time: a backlog is worked off over many looks, beside everything else that the database does. */
const BATCHES = 20

/**
 * Deletes rows that have served their time. They are idempotency records, attempts to deliver events
 * (docs/operate.md says when) and workers that are gone. Any number of workers may do it at once: each takes other rows. Requests, events and the
 * ledger are kept.
 */
export async function prune(sql: Sql): Promise<void> {
  for (const forget of [deleteOldKeys, deleteOldAttempts]) {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      if ((await forget(sql, BATCH)) < BATCH) break
    }
  }
  await returnToNow(sql)
  await deleteLostWorkers(sql)
}
