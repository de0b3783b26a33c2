import type { Sql } from '../db/connect.ts'
import { flushCommits } from '../db/flush.ts'

/**
 * Makes durable what this process has written: each call resolves when all that was committed before it is on disk.
 *
 * Calls that come while one flush runs share the next: under load one write to the disk serves many requests, which
 * saves half of what accepting costs the database (docs/decisions/0009).
 */
export function createFlush(sql: Sql): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    const flush = flushCommits(sql).finally(() => {
      if (running === flush) running = undefined
    })
    running = flush
    return flush
  }
  return () => {
    if (running === undefined) return run()
    const before = running.catch(() => undefined)
    next ??= before.then(() => {
      next = undefined
      return run()
    })
    return next
  }
}
