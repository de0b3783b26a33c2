import { setTimeout as delay } from 'node:timers/promises'

export type CoalesceOptions = {
  /** Items of one run at most; all that wait unless given. */
  most?: number
  /** The next run begins after so long even when the last has not ended; it waits for that end unless given. */
  longestWaitMs?: number
  /** The least time between the end of a run and the next; none unless given. */
  pauseMs?: number
}

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

/**
 * Runs items that come at the same time together. The first runs at once, those that come meanwhile after it.
 *
 * So a lone item waits for nothing, and the busier the process, the less each item costs. `run` gives the results in the
 * order of its items; what it throws is the error of every item of that run.
 */
export function coalesce<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most = Number.POSITIVE_INFINITY, longestWaitMs, pauseMs = 0 }: CoalesceOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isBusy = false

  async function runAll(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    if (pauseMs > 0) await delay(pauseMs)
  }

  function next(): void {
    isBusy = waiting.length > 0
    if (!isBusy) return
    const batch = waiting.slice(0, most)
    waiting = waiting.slice(most)
    let hasBegun = false
    const begin = () => {
      if (hasBegun) return
      hasBegun = true
      clearTimeout(late)
      next()
    }
    const late = longestWaitMs === undefined ? undefined : setTimeout(begin, longestWaitMs)
    void runAll(batch).then(begin)
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isBusy) next()
    })
}
