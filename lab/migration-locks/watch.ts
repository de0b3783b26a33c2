import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { CALLERS, knownOf, round } from './calls.ts'

export type Seen = {
  seconds: number
  rounds: number
  slowestMs: number
  /** The longest wait of a call for a lock of a migration or another program, but not of another call. */
  waitedMs: number
  /** The longest interval between two samples. The samples may miss a wait that is shorter than this. */
  blindMs: number
}

type Watch = AsyncDisposable & { during: (work: () => Promise<unknown>) => Promise<Seen> }

const LOOK_EVERY_MS = 5

export async function openWatch(url: string): Promise<Watch> {
  const calls = connect(url, { connections: CALLERS, applicationName: 'calls' })
  const eyes = connect(url, { connections: 1, applicationName: 'eyes' })
  const known = await knownOf(eyes)
  const fresh = (): Omit<Seen, 'seconds'> => ({ rounds: 0, slowestMs: 0, waitedMs: 0, blindMs: 0 })
  let seen = fresh()
  let isOver = false
  const call = async () => {
    const worker = randomUUID()
    while (!isOver) {
      const took = await round(calls, known, worker)
      seen.slowestMs = Math.max(seen.slowestMs, took)
      seen.rounds += 1
    }
  }
  const look = async () => {
    let last = performance.now()
    while (!isOver) {
      seen.waitedMs = Math.max(seen.waitedMs, await longestWait(eyes))
      seen.blindMs = Math.max(seen.blindMs, performance.now() - last)
      last = performance.now()
      await delay(LOOK_EVERY_MS)
    }
  }
  const running = Promise.all([look(), ...Array.from({ length: CALLERS }, call)])
  // Do not report an error as unhandled: disposing of the watch throws it.
  running.catch(() => undefined)
  return {
    async during(work) {
      seen = fresh()
      const startedAt = performance.now()
      await Promise.race([work(), running])
      return { ...seen, seconds: (performance.now() - startedAt) / 1_000 }
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await running
      await Promise.all([calls.end({ timeout: 5 }), eyes.end({ timeout: 5 })])
    },
  }
}

/** Returns the longest current wait of a call for a lock, in milliseconds. Ignores waits for other calls. */
async function longestWait(sql: Sql): Promise<number> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000)::float8 as ms
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where not l.granted and l.waitstart is not null and a.application_name = 'calls' and exists (
      select from pg_stat_activity b where b.pid = any(pg_blocking_pids(l.pid)) and b.application_name <> 'calls')`
  return row?.ms ?? 0
}
