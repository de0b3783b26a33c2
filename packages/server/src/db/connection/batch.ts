import { coalesce } from '../../lib/time/coalesce.ts'
import type { Sql } from './connect.ts'

/** How long the next statement waits for the running statement, which may hang. */
const MAX_WAIT_MS = 100

const MAX_ITEMS = 64

export function batch<Item, Result>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Result[]>,
  { longestWaitMs = MAX_WAIT_MS }: { longestWaitMs?: number } = {},
): (sql: Sql, item: Item) => Promise<Result> {
  const queues = new WeakMap<Sql, (item: Item) => Promise<Result>>()
  return async (sql, item) => {
    let queue = queues.get(sql)
    if (queue === undefined)
      queues.set(sql, (queue = coalesce((items) => run(sql, items), { maxItems: MAX_ITEMS, longestWaitMs })))
    return await queue(item)
  }
}
