import { setTimeout as delay } from 'node:timers/promises'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../accounts/authenticate.ts'
import { findAgain } from '../requests/find.ts'
import type { Door } from './door.ts'
import type { HeldCalls } from './held-calls.ts'

/** A call that may be held, and for how long it wants to be. */
export type PatientCall = { caller: Caller; reply: FastifyReply; seconds: number | undefined }

/** How long a request that did not end in time is asked for, before what was known of it is told. */
const LAST_LOOK_MS = 1_000

/**
 * Waits for a request's end as long as the call wants to. It returns the request at its end, or else as it is then
 * (rulings 16).
 *
 * `isTold` says that its end will be told of, because it was accepted as one that is waited for.
 */
export async function awaitEnd(
  door: Pick<Door, 'sql' | 'watch'>,
  held: HeldCalls,
  { caller, reply, seconds }: PatientCall,
  request: MediaRequest,
  isTold: boolean,
): Promise<MediaRequest> {
  if (seconds === undefined) return request
  const applied = () => reply.header('preference-applied', `wait=${seconds}`)
  if ('completedAt' in request) {
    applied()
    return request
  }
  const ended = await held.hold({ caller, reply }, seconds, async (signal) => {
    applied()
    return await door.watch.wait(request.id, signal, isTold)
  })
  return ended ?? (reply.isHeld ? await lastLook(door, request) : request)
}

/** A client that has waited is told what is known, also when the database is away. */
async function lastLook({ sql }: Pick<Door, 'sql'>, request: MediaRequest): Promise<MediaRequest> {
  const late = delay(LAST_LOOK_MS, undefined, { ref: false })
  const found = await Promise.race([findAgain(sql, request.id), late]).catch(() => undefined)
  return found ?? request
}
