import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../accounts/authenticate.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { findAgain } from '../requests/find.ts'
import { toFinalRequest } from '../requests/record.ts'
import type { ApiContext } from './api-context.ts'
import type { LongPolls } from './long-polls.ts'

/** A call that waits up to `seconds` for completion (`Prefer: wait`), or does not wait if `seconds` is `undefined`. */
export type WaitingCall = { caller: Caller; reply: FastifyReply; seconds: number | undefined }

/** The timeout of the read after the wait. If the request is still incomplete, this read returns its newest state. */
const READ_AGAIN_MS = 1_000

/** Waits until a request is complete or `seconds` have passed. Returns the newest state (waiting.prefer.1). */
export async function waitForCompletion(
  api: Pick<ApiContext, 'sql' | 'watch'>,
  longPolls: LongPolls,
  { caller, reply, seconds }: WaitingCall,
  request: MediaRequest,
): Promise<MediaRequest> {
  if (seconds === undefined) return request
  const applied = () => reply.header('preference-applied', `wait=${seconds}`)
  if ('completedAt' in request) {
    applied()
    return request
  }
  const completed = await longPolls.hold({ caller, reply }, seconds, async (signal) => {
    applied()
    const row = await api.watch.wait(request.id, undefined, signal)
    return row && toFinalRequest(row)
  })
  return completed ?? (reply.isLongCall ? await readAgain(api, request) : request)
}

async function readAgain({ sql }: Pick<ApiContext, 'sql'>, request: MediaRequest): Promise<MediaRequest> {
  const found = await withTimeout(findAgain(sql, request.id), READ_AGAIN_MS, () => undefined).catch(() => undefined)
  return found ?? request
}
