import { coalesce } from '../../lib/time/coalesce.ts'
import type { Sql } from './connect.ts'

/** How long items wait for the statement before theirs, should that one hang; unless given. */
const LONGEST_WAIT_MS = 100

/** Items of one statement: enough that its fixed cost hardly counts, few enough that none waits long for the others. */
const MOST = 64

/**
 * Runs items that come at the same time in one statement. The first runs at once, those that come meanwhile all
 * together after it. So a lone item waits for nothing, and the busier the process, the less each costs.
 *
 * `run` gives the results in the order of its items; when it throws, every item of that statement gets the error. Each
 * pool has a queue of its own.
 */
export function gather<Item, Result>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Result[]>,
  { longestWaitMs = LONGEST_WAIT_MS }: { longestWaitMs?: number } = {},
): (sql: Sql, item: Item) => Promise<Result> {
  const queues = new WeakMap<Sql, (item: Item) => Promise<Result>>()
  return async (sql, item) => {
    let queue = queues.get(sql)
    if (queue === undefined)
      queues.set(sql, (queue = coalesce((items) => run(sql, items), { most: MOST, longestWaitMs })))
    return await queue(item)
  }
}
