import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { NO_MONEY } from '@mediamill/contract/domain/money'
import type { FinalRequest, MediaRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { notifyAbort } from '../db/connection/notices.ts'
import { finishRequest } from '../db/finish-request.ts'
import { find } from './find.ts'
import { tellEnd } from './notices.ts'
import { toFinalRequest } from './record.ts'
import { newEventId } from './settle.ts'

/**
 * Ends a request at its account's wish (Spec 3). Its hold and its place are free when this returns, and the worker that
 * has it is told to stop.
 *
 * Of parallel aborts, and of an abort and a finishing worker, exactly one wins; the others get `request_finished`.
 */
export async function abort(sql: Sql, accountId: AccountId, id: RequestId): Promise<FinalRequest> {
  const row = await finishRequest(
    sql,
    id,
    { accountId },
    {
      status: 'aborted',
      price: NO_MONEY,
      data: null,
      files: null,
      error: null,
      sourceBytes: 0,
      took: null,
      retentionMs: 0,
      eventId: newEventId(),
    },
  )
  if (row === undefined) {
    const { status } = await find(sql, accountId, id)
    throw requestFinished(status)
  }
  if (row.startedAt !== null) await notifyAbort(sql, id)
  if (row.awaited) tellEnd(sql, id)
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
