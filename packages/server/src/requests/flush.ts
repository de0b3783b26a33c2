import type { MediaRequest } from '@mediamill/contract/domain/request'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connectionError } from '../db/connection/errors.ts'
import { flushCommits } from '../db/flush.ts'

const flushTogether = batch(flushCommits)

/**
 * Resolves when the given state of a request is on disk. Rejects if a crash lost the request, because a flush on a new
 * database server does not cover it. The client then gets 503.
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  return async (request) => {
    if (await flushTogether(sql, request)) return
    throw connectionError('CONNECTION_CLOSED', `the database crashed and lost request ${request.id}`)
  }
}
