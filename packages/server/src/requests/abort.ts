import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { NO_MONEY } from '@mediamill/contract/domain/money'
import type { FinalRequest, MediaRequest } from '@mediamill/contract/domain/request'
import type { Runner, Sql } from '../db/connection/connect.ts'
import type { Finish, FinishedRow } from '../db/finish-request.ts'
import { finishRequest } from '../db/finish-request.ts'
import { notify } from '../queue/notifications.ts'
import { find } from './find.ts'
import { toFinalRequest } from './record.ts'
import { newEventId, notifyCompletion } from './settle.ts'

type Finishing = (sql: Runner) => Promise<FinishedRow | undefined>

/** Aborts a request. Throws `request_finished` if another abort or a completion was faster (requests.abort.1). */
export async function abort(
  sql: Sql,
  accountId: AccountId,
  id: RequestId,
  run: (finish: Finishing) => Promise<FinishedRow | undefined> = (finish) => finish(sql),
): Promise<FinalRequest> {
  const finish: Finish = {
    status: 'aborted',
    price: NO_MONEY,
    data: null,
    files: null,
    error: null,
    sourceBytes: 0,
    took: null,
    retentionMs: 0,
    eventId: newEventId(),
  }
  const row = await run((runner) => finishRequest(runner, id, { accountId }, finish))
  if (row === undefined) {
    const { status } = await find(sql, accountId, id)
    throw requestFinished(status)
  }
  if (row.startedAt !== null) notify(sql, `abort:${id}`)
  notifyCompletion(sql, row)
  return toFinalRequest(row)
}

export function requestFinished(status: MediaRequest['status']): ApiError {
  return new ApiError('request_finished', `This request has already ${WORDS[status]}; it cannot be aborted any more.`)
}

const WORDS: Record<MediaRequest['status'], string> = {
  queued: 'finished',
  processing: 'finished',
  succeeded: 'succeeded',
  failed: 'failed',
  aborted: 'been aborted',
}
