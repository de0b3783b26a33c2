import { MediamillError } from '../errors/mediamill-error.ts'
import type { StopSignal } from '../transport/stop-signal.ts'

/**
 * Runs `work` in parallel. Reads an item only when `work` can start. If the consumer leaves the loop, aborts `stop` and
 * waits for the work.
 */
export async function* inParallel<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: Awaited<T>, index: number) => Promise<R>,
  stop: Pick<StopSignal, 'signal' | 'abort'>,
): AsyncGenerator<R, undefined> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const ended: R[] = []
  let [index, isOver] = [0, false]
  let wake = () => {}
  const processItems = async () => {
    for (;;) {
      stop.signal.throwIfAborted()
      const next = await iterator.next()
      if (next.done === true) return
      ended.push(await work(next.value as Awaited<T>, index++))
      wake()
    }
  }
  const all = Promise.all(Array.from({ length: Math.max(1, concurrency) }, processItems)).finally(() => {
    isOver = true
    wake()
  })
  all.catch(() => {})
  try {
    for (;;) {
      yield* ended.splice(0)
      if (isOver) break
      await new Promise<void>((resolve) => {
        wake = resolve
        if (ended.length > 0 || isOver) resolve()
      })
    }
    await all
    yield* ended.splice(0)
  } finally {
    if (!isOver) stop.abort(new MediamillError('The batch was stopped.'))
    await all.catch(() => {})
  }
  return undefined
}
