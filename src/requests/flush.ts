import type { Sql } from '../db/connect.ts'
import { flushCommits } from '../db/flush.ts'
import type { MediaRequest } from '../domain/request.ts'

type Waiting = { request: MediaRequest; resolve: () => void; reject: (error: unknown) => void }

/**
 * Makes durable what this process has written: each call resolves when the request is on disk as it is told of.
 *
 * It rejects when a crash of the database took the request with it: a flush that a new server makes says nothing about
 * what the old one had not written yet. Calls that come while one flush runs share the next: under load one write to
 * the disk serves many requests, which saves half of what accepting costs the database (docs/decisions/0009).
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  let waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const kept = await flushCommits(
          sql,
          batch.map(({ request }) => request),
        )
        for (const { request, resolve, reject } of batch) {
          if (kept.has(request.id)) resolve()
          else reject(new Error(`the database crashed and lost what it had said of request ${request.id}`))
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (!running) void run()
    })
}
