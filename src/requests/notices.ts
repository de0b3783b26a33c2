import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../db/connection/connect.ts'
import { notifyEnds, notifyEvents, notifyRequests } from '../db/connection/notices.ts'
import type { Lane } from '../domain/request.ts'

export { listen } from '../db/connection/notices.ts'

/** A notice wakes every worker and one is as good as many: under load few are sent, and the first one at once. */
const PAUSE_MS = 10

/** Wakes the workers of all machines that serve a lane. */
export function createNudge(sql: Sql): (lane: Lane) => void {
  return together((lanes) => notifyRequests(sql, lanes))
}

const endTellers = new WeakMap<Sql, (id: number) => void>()

/** Tells every process whose calls wait for a request that it has ended; over a pool of connections, whichever is free. */
export function tellEnd(sql: Sql, id: number): void {
  let tell = endTellers.get(sql)
  if (tell === undefined) endTellers.set(sql, (tell = together((ids) => notifyEnds(sql, ids), 0)))
  tell(id)
}

/** Wakes those who deliver events. */
export function createDeliveriesNudge(sql: Sql): () => void {
  const nudge = together<'events'>(() => notifyEvents(sql))
  return () => nudge('events')
}

/**
 * One notice in flight at a time, however many requests are accepted, or ended.
 *
 * It runs after the commit and on a connection of its own: a notice inside the accepting transaction would serialise
 * every commit of the database (docs/decisions/0006). A notice that is lost is made good by the workers' polling.
 */
function together<What>(send: (whats: What[]) => Promise<void>, pauseMs: number = PAUSE_MS): (what: What) => void {
  const untold = new Set<What>()
  let flying = false
  async function fly(): Promise<void> {
    flying = true
    try {
      while (untold.size > 0) {
        const whats = [...untold]
        untold.clear()
        await send(whats)
        if (pauseMs > 0) await delay(pauseMs)
      }
    } catch {
      // The database is away; polling finds what there is when it is back.
    } finally {
      flying = false
    }
  }
  return (what) => {
    untold.add(what)
    if (!flying) void fly()
  }
}
