import type { Sql } from '../../db/connection/connect.ts'
import { listOrphans, takeRound } from '../../db/sweep.ts'
import { requestOfKey } from '../../store/store.ts'

type Sweepable = {
  keys: (before: Date) => AsyncIterable<string>
  delete: (key: string) => Promise<void>
}

const ROUND_MS = 6 * 3_600_000

/** Returns whether this process may search for orphans now. Exactly one process may do so every six hours. */
export async function isTurnToSweepOrphans(sql: Sql): Promise<boolean> {
  return await takeRound(sql, 'orphans', ROUND_MS)
}

const BATCH = 1_000

/** Deletes files without a request, as after a crash. Keeps files newer than `before`: their request may be open. */
export async function sweepOrphans(sql: Sql, store: Sweepable, before: Date): Promise<number> {
  let count = 0
  for await (const keys of inBatches(store.keys(before))) {
    const files = keys.map((key) => ({ key, requestId: requestOfKey(key) }))
    for (const key of await listOrphans(sql, files)) {
      await store.delete(key)
      count += 1
    }
  }
  return count
}

async function* inBatches(keys: AsyncIterable<string>): AsyncIterable<string[]> {
  let batch: string[] = []
  for await (const key of keys) {
    batch.push(key)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
