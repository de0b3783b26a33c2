import { readFile } from 'node:fs/promises'
import type { Sql } from '@mediamill/server/db/connection/connect'

/** The elapsed time, the CPU time of PostgreSQL, the pages used, and the pages read from disk. */
export type Cost = { ms: number; cpuMs: number; pages: number; pagesRead: number }

/** The number of rounds before the measurement, in which PostgreSQL plans its statements and loads its pages. */
const WARM_UP = 10

/** Returns a function that measures work on `sql`, which must have one connection. `other` reads the statistics. */
export async function openGauge(sql: Sql, other: Sql) {
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`

  async function read() {
    await sql`select pg_stat_force_next_flush()`
    const [io = { seen: 0, fetched: 0 }] = await other<{ seen: number; fetched: number }[]>`
      select coalesce(sum(hits), 0)::bigint + coalesce(sum(reads), 0)::bigint as seen, coalesce(sum(reads), 0)::bigint as fetched
      from pg_stat_get_backend_io(${pid}) where object = 'relation'`
    const cpuNs = Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0])
    return { ...io, cpuNs }
  }

  /** Runs `work` many times. Returns the median of the elapsed times, and the mean of all other figures. */
  return async function gauge(rounds: number, work: (round: number) => Promise<unknown>): Promise<Cost> {
    const warmUp = Math.min(WARM_UP, rounds)
    for (let round = 0; round < warmUp; round += 1) await work(round)
    const times: number[] = []
    const before = await read()
    for (let round = warmUp; round < warmUp + rounds; round += 1) {
      const start = performance.now()
      await work(round)
      times.push(performance.now() - start)
    }
    const after = await read()
    return {
      ms: times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN,
      cpuMs: (after.cpuNs - before.cpuNs) / 1e6 / rounds,
      pages: (after.seen - before.seen) / rounds,
      pagesRead: (after.fetched - before.fetched) / rounds,
    }
  }
}
