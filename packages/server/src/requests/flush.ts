import type { MediaRequest } from '@mediamill/contract/domain/request'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connectionError } from '../db/connection/errors.ts'
import { flushCommits } from '../db/flush.ts'

const flushTogether = batch(flushCommits)

/**
 * Returns a function that resolves when the state of a request is on disk. It rejects if a crash lost that state; the
 * client then gets 503. The flush alone is not enough: a new database server can lack commits of the old server.
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  return async (request) => {
    if (await flushTogether(sql, request)) return
    throw connectionError('CONNECTION_CLOSED', `the database crashed and lost request ${request.id}`)
  }
}
