import { setTimeout as delay } from 'node:timers/promises'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { FinalRequest, MediaRequest } from '@mediamill/contract/domain/request'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../accounts/authenticate.ts'
import { findAgain } from '../requests/find.ts'
import { toFinalRequest } from '../requests/record.ts'
import type { RequestWatch } from '../requests/watch.ts'
import type { Door } from './door.ts'
import type { HeldCalls } from './held-calls.ts'

/** A call that may be held, and for how long it wants to be. */
export type PatientCall = { caller: Caller; reply: FastifyReply; seconds: number | undefined }

/** How long a request that did not end in time is asked for, before what was known of it is told. */
const LAST_LOOK_MS = 1_000

/**
 * Waits for a request's end as long as the call wants to. It returns the request at its end, or else as it is then
 * (waiting.prefer.1).
 */
export async function awaitEnd(
  door: Pick<Door, 'sql' | 'watch'>,
  held: HeldCalls,
  { caller, reply, seconds }: PatientCall,
  request: MediaRequest,
): Promise<MediaRequest> {
  if (seconds === undefined) return request
  const applied = () => reply.header('preference-applied', `wait=${seconds}`)
  if ('completedAt' in request) {
    applied()
    return request
  }
  const ended = await held.hold({ caller, reply }, seconds, async (signal) => {
    applied()
    return await waitFor(door.watch, request.id, signal)
  })
  return ended ?? (reply.isHeld ? await lastLook(door, request) : request)
}

async function waitFor(watch: RequestWatch, id: RequestId, signal: AbortSignal): Promise<FinalRequest | undefined> {
  const row = await watch.wait(id, undefined, signal)
  return row && toFinalRequest(row)
}

/** A client that has waited is told what is known, also when the database is away. */
async function lastLook({ sql }: Pick<Door, 'sql'>, request: MediaRequest): Promise<MediaRequest> {
  const late = delay(LAST_LOOK_MS, undefined, { ref: false })
  const found = await Promise.race([findAgain(sql, request.id), late]).catch(() => undefined)
  return found ?? request
}
