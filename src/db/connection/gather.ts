import type { Sql } from './connect.ts'

/** How long items wait for the statement before theirs, should that one hang. */
const LONGEST_WAIT_MS = 100

/** Items of one statement: enough that its fixed cost hardly counts, few enough that none waits long for the others. */
const MOST = 64

/**
 * Runs items that come at the same time in one statement: the first at once, those that come meanwhile all together
 * after it. So a lone item waits for nothing, and the busier the process, the less each costs (docs/decisions/0012).
 *
 * `run` gives the results in the order of its items; when it throws, every item of that statement gets the error. Each
 * pool has a queue of its own.
 */
export function gather<Item, Result>(
  run: (sql: Sql, items: readonly Item[]) => Promise<readonly Result[]>,
): (sql: Sql, item: Item) => Promise<Result> {
  const queues = new WeakMap<Sql, (item: Item) => Promise<Result>>()
  return async (sql, item) => {
    let queue = queues.get(sql)
    if (queue === undefined) queues.set(sql, (queue = queueOf(async (items: readonly Item[]) => await run(sql, items))))
    return await queue(item)
  }
}

function queueOf<Item, Result>(run: (items: readonly Item[]) => Promise<readonly Result[]>) {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let busy = false

  async function runAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function next(): void {
    busy = waiting.length > 0
    if (!busy) return
    const batch = waiting.slice(0, MOST)
    waiting = waiting.slice(MOST)
    let handedOn = false
    const handOn = () => {
      if (handedOn) return
      handedOn = true
      clearTimeout(late)
      next()
    }
    const late = setTimeout(handOn, LONGEST_WAIT_MS)
    void runAll(batch).then(handOn)
  }

  return (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!busy) next()
    })
}
