import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../db/connect.ts'
import { notifyEvents, notifyRequests } from '../db/notices.ts'

export { listen } from '../db/notices.ts'

/** A notice wakes every worker and one is as good as many: under load few are sent, and the first one at once. */
const PAUSE_MS = 10

const NOTIFY = { requests: notifyRequests, events: notifyEvents }

/**
 * Wakes the workers of all machines, with one notice in flight at a time however many requests are accepted, or ended.
 *
 * It runs after the commit and on a connection of its own: a notice inside the accepting transaction would serialise
 * every commit of the database (docs/decisions/0006). A notice that is lost is made good by the workers' polling.
 */
export function createNudge(sql: Sql, about: keyof typeof NOTIFY): () => void {
  let flying = false
  let dirty = false
  async function fly(): Promise<void> {
    flying = true
    try {
      while (dirty) {
        dirty = false
        await NOTIFY[about](sql)
        await delay(PAUSE_MS)
      }
    } catch {
      // The database is away; polling finds what there is when it is back.
    } finally {
      flying = false
    }
  }
  return () => {
    dirty = true
    if (!flying) void fly()
  }
}
