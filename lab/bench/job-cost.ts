import type { Sql } from '@mediamill/server/db/connection/connect'
import { startMeter } from './process-meter.ts'

const PARTS = ['API servers', 'workers', 'PostgreSQL'] as const
type Part = (typeof PARTS)[number]

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
  const meter = startMeter()
  meter.isWatching = false
  await meter.restart()
  const before = await readDisk(sql)
  // If a process ends, only its CPU time up to the last reading counts, so read often.
  const looking = setInterval(() => void meter.cpuMs(), LOOK_MS)
  return {
    async describe(jobs) {
      const cpu = await meter.cpuMsOf(partOf)
      const peakMb = await meter.peakMb()
      const after = await readDisk(sql)
      const perJob = (part: Part) => (cpu[part] ?? 0) / jobs
      const disk = (name: keyof Disk) => (after[name] - before[name]) / jobs
      return [
        `a job costs ${PARTS.map((part) => `${perJob(part).toFixed(1)} ms of CPU in ${part}`).join(', ')}`,
        `and ${(disk('wal') / 1024).toFixed(1)} kB of WAL, ${disk('flushes').toFixed(2)} WAL flushes, ${disk('writes').toFixed(2)} writes of tables`,
        `the largest process had ${peakMb} MB`,
        `vCPU at ${USE * 100} % use`.padEnd(24) + RATES.map((rate) => `${rate}/s`.padStart(9)).join(''),
        ...PARTS.map(
          (part) =>
            part.padEnd(24) + RATES.map((rate) => ((rate * perJob(part)) / 1000 / USE).toFixed(2).padStart(9)).join(''),
        ),
      ].join('\n')
    },
    [Symbol.dispose]() {
      clearInterval(looking)
      meter[Symbol.dispose]()
    },
  }
}

function partOf(command: string): Part | 'other' {
  if (/main\.ts api/.test(command)) return 'API servers'
  if (/main\.ts worker|engines\//.test(command)) return 'workers'
  return /postgres/.test(command) ? 'PostgreSQL' : 'other'
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
