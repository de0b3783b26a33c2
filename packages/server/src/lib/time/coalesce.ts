import { setTimeout as delay } from 'node:timers/promises'

type CoalesceOptions = {
  maxItems?: number
  /** If a run takes longer than this, the next run starts in parallel. Default: runs never overlap. */
  longestWaitMs?: number
  pauseMs?: number
}

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

/** Combines items that arrive during a run into the next run. `run` returns a result per item, or fails for all. */
export function coalesce<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxItems = Number.POSITIVE_INFINITY, longestWaitMs, pauseMs = 0 }: CoalesceOptions = {},
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
    const batch = waiting.slice(0, maxItems)
    waiting = waiting.slice(maxItems)
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
