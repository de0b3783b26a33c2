import type { MediaRequest } from '@mediamill/contract/domain/request'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connectionError } from '../db/connection/errors.ts'
import { flushCommits } from '../db/flush.ts'

const flushTogether = batch(flushCommits)

/**
 * Returns a function that waits until a request is on disk. After a failover, the new server can lack commits of the
 * old server, so the function also reads the request.
 */
export function createFlush(sql: Sql): (request: MediaRequest) => Promise<void> {
  return async (request) => {
    if (await flushTogether(sql, request)) return
    throw connectionError('CONNECTION_CLOSED', `the database crashed and lost request ${request.id}`)
  }
}
