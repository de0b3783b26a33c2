import type { Sql } from '../db/connect.ts'
import { listOrphans } from '../db/finish-request.ts'

/** What a store must do for its orphans to be found and deleted. */
export type Sweepable = {
  keys: (before: Date) => AsyncIterable<string>
  delete: (key: string) => Promise<void>
}

/** Keys asked about at once: each question reads the keys of all results that are kept. */
const BATCH = 100_000

/**
 * Deletes files that no request has, and returns how many: a crash between storing a file and settling its request
 * leaves one behind, which `expire` never hears of.
 *
 * Only files older than `before` are looked at, since a file is stored before its request is settled.
 */
export async function sweepOrphans(sql: Sql, store: Sweepable, before: Date): Promise<number> {
  let count = 0
  for await (const keys of inBatches(store.keys(before))) {
    for (const key of await listOrphans(sql, keys)) {
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
