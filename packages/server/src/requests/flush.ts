import type { MediaRequest } from '@mediamill/contract/domain/request'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connectionError } from '../db/connection/errors.ts'
import { flushCommits } from '../db/flush.ts'

const flushTogether = batch(flushCommits)

/**
 * Each call resolves when its request is on disk in the returned state. It rejects if a crash lost the request: a flush
 * on a new server does not cover unwritten data of the old server. The client then gets 503.
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  return async (request) => {
    if (await flushTogether(sql, request)) return
    throw connectionError('CONNECTION_CLOSED', `the database crashed and lost request ${request.id}`)
  }
}
