import type { Sql } from '@mediamill/server/db/connection/connect'
import { startMeter } from './process-meter.ts'

/** The names of the rows, and the parts of the meter that they sum up. */
const ROWS: ReadonlyArray<[name: string, ...parts: string[]]> = [
  ['API servers', 'api'],
  ['workers', 'worker', 'engines'],
  ['PostgreSQL', 'postgres'],
]

/** The jobs per second for which docs/operate/scaling.md lists the required processors. */
const RATES = [1, 10, 100]

/** The average CPU load that sizing assumes. The remaining capacity is for peaks. */
const USE = 0.6

const LOOK_MS = 1_000

type JobCost = Disposable & {
  /** Returns the costs per job as text. `jobs` is the number of jobs that ran since the start of the measurement. */
  describe: (jobs: number) => Promise<string>
}

/** Starts to measure the CPU time of the child processes of this process, and the writes of their PostgreSQL 18. */
export async function measureJobCost(sql: Sql): Promise<JobCost> {
  const meter = startMeter({ everyMs: LOOK_MS })
  await meter.restart()
  const before = await readDisk(sql)
  return {
    async describe(jobs) {
      const cpu = await meter.cpuMs()
      const peakMb = await meter.peakMb()
      const after = await readDisk(sql)
      const perJob = ROWS.map(([name, ...parts]): [string, number] => [
        name,
        parts.reduce((sum, part) => sum + (cpu.get(part) ?? 0), 0) / jobs,
      ])
      const disk = (name: keyof Disk) => (after[name] - before[name]) / jobs
      return [
        `a job costs ${perJob.map(([name, ms]) => `${ms.toFixed(1)} ms of CPU in ${name}`).join(', ')}`,
        `and ${(disk('wal') / 1024).toFixed(1)} kB of WAL, ${disk('flushes').toFixed(2)} WAL flushes, ${disk('writes').toFixed(2)} writes of tables`,
        `the largest process had ${peakMb} MB`,
        `vCPU at ${USE * 100} % use`.padEnd(24) + RATES.map((rate) => `${rate}/s`.padStart(9)).join(''),
        ...perJob.map(
          ([name, ms]) =>
            name.padEnd(24) + RATES.map((rate) => ((rate * ms) / 1000 / USE).toFixed(2).padStart(9)).join(''),
        ),
      ].join('\n')
    },
    [Symbol.dispose]: () => meter[Symbol.dispose](),
  }
}

type Disk = { wal: number; flushes: number; writes: number }

async function readDisk(sql: Sql): Promise<Disk> {
  const [row] = await sql<Disk[]>`
    select (pg_current_wal_insert_lsn() - '0/0')::bigint as wal,
      coalesce(sum(fsyncs) filter (where object = 'wal'), 0)::bigint as flushes,
      coalesce(sum(writes) filter (where object = 'relation'), 0)::bigint as writes
    from pg_stat_io`
  return row ?? { wal: 0, flushes: 0, writes: 0 }
}
