import type { Lane } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import {
  notifyEnds,
  notifyEvents,
  notifyParts,
  notifyRequests,
  notifyStampEnds,
  notifyStamps,
} from '../db/connection/notices.ts'
import { coalesce } from '../lib/time/coalesce.ts'

export { listen, listenToParts, listenToStamps } from '../db/connection/notices.ts'

/** A notice wakes every worker and one is as good as many: under load few are sent, and the first one at once. */
const PAUSE_MS = 10

/** Wakes the workers of all machines. */
export type WorkersWaker = {
  /** Wakes those that serve a lane, soon. Never waits and never throws. */
  wake: (lane: Lane) => void
  /** Tells which of these lanes are to be told of in the statement that fills them: none when one was just now. */
  take: (lanes: readonly Lane[]) => readonly Lane[]
}

/**
 * Wakes the workers of all machines that serve a lane. `isFree` says that a statement that tells of it does not wait for the
 * disk: then the first after a pause may do so itself, and a lone call costs one statement less (decision 71).
 */
export function createWorkersWaker(sql: Sql, isFree: boolean): WorkersWaker {
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    wake: together((lanes) => notifyRequests(sql, lanes)),
    take(lanes) {
      const now = performance.now()
      if (!isFree || now - lastAt < PAUSE_MS) return []
      lastAt = now
      return lanes
    },
  }
}

/** An end to tell of, and how it ended, sealed, if that is to be told as well. */
type ToldEnd = { id: number; sealed?: (() => string) | undefined }

const endTellers = new WeakMap<Sql, (end: ToldEnd) => void>()

/**
 * Tells all processes whose calls wait for a request that it has ended. Of one alone `sealed` goes along, so that nobody
 * has to ask how; of several one statement asks for all.
 */
export function tellEnd(sql: Sql, id: number, sealed?: () => string): void {
  let tell = endTellers.get(sql)
  if (tell === undefined) {
    const send = async (ends: readonly ToldEnd[]) => {
      const ids = ends.map((end) => end.id)
      await notifyEnds(sql, ids, ends.length === 1 ? ends[0]?.sealed?.() : undefined)
    }
    endTellers.set(sql, (tell = together(send, 0)))
  }
  tell({ id, sealed })
}

/** Wakes those who deliver events. */
export function createDeliveriesWaker(sql: Sql): () => void {
  const wake = together<'events'>(() => notifyEvents(sql))
  return () => wake('events')
}

/** Wakes the workers of all machines that draw stamps. */
export function createStampsWaker(sql: Sql): () => void {
  const wake = together<'stamps'>(() => notifyStamps(sql), 0)
  return () => wake('stamps')
}

/** Wakes the workers of all machines that make parts of long videos. */
export function createPartsWaker(sql: Sql): () => void {
  const wake = together<'parts'>(() => notifyParts(sql))
  return () => wake('parts')
}

/** Tells all processes whose calls wait for a stamp that it has come to something. */
export const createStampTeller = (sql: Sql): ((id: string) => void) => together((ids) => notifyStampEnds(sql, ids), 0)

/**
 * Sends one notice at a time, however many requests are accepted, or ended.
 *
 * It runs after the commit and on a connection of its own: a notice inside the accepting transaction would serialise
 * every commit of the database (docs/decisions/0006). A notice that is lost is made good by the workers' polling.
 */
function together<What>(send: (whats: What[]) => Promise<void>, pauseMs: number = PAUSE_MS): (what: What) => void {
  const tell = coalesce(
    async (whats: readonly What[]) => {
      await send([...new Set(whats)])
      return whats
    },
    { pauseMs },
  )
  // The database is away; polling finds what there is when it is back.
  return (what) => void tell(what).catch(() => undefined)
}
