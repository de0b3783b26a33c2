import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { gather } from '../db/connection/gather.ts'
import { flushCommits } from '../db/flush.ts'

const flushTogether = gather(flushCommits)

/**
 * Makes durable what this process has written. Each call resolves when the request is on disk as it is told of.
 *
 * It rejects when a crash of the database took the request with it: a flush that a new server makes says nothing about
 * what the old one had not written yet. Calls that come while one flush runs share the next: under load one write to
 * the disk serves many requests, which saves half of what accepting costs the database (docs/decisions/0009).
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  return async (request) => {
    if (await flushTogether(sql, request)) return
    throw new Error(`the database crashed and lost what it had said of request ${request.id}`)
  }
}
