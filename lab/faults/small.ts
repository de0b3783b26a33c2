import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../chaos/environment.ts'
import { processesOf } from '../chaos/fleet.ts'
import type { Finding, Scenario } from './bench.ts'
import { openBench, soon } from './bench.ts'

const MEMORY_BYTES = 1024 ** 3
const DESCRIPTORS = 256
const CONCURRENCY = 64
const REQUESTS = 200
/** The kinds of sources. Slow sources occupy connections, and noise images need much memory. */
const KINDS = ['large', 'slow', 'small', 'noise', 'slow'] as const
const TIMEOUT_MS = 150_000
/** The time in which a worker must start. It first probes its sandbox and each kind of engine. */
const START_MS = 60_000

const GROUP = '/sys/fs/cgroup/memory'

function whyNoGroup(): string | undefined {
  try {
    const probe = join(GROUP, `mediamill-probe-${process.pid}`)
    mkdirSync(probe)
    rmdirSync(probe)
    return undefined
  } catch {
    return 'a memory control group cannot be created here'
  }
}

/** Runs a worker with too little memory and too few file descriptors. Every request must succeed, even if slowly. */
export const small: Scenario = {
  name: 'too little of everything',
  missing: whyNoGroup,
  async run() {
    await using bench = await openBench({ apis: 1, workers: 1, concurrency: CONCURRENCY })
    const { environment, fleet, accept, ended } = bench
    await ended(await accept('small'), 60_000)
    const baseline = await ended(await accept('large'), 60_000)
    const group = join(GROUP, `mediamill-small-${process.pid}`)
    mkdirSync(group)
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(MEMORY_BYTES))
    try {
      // Limit the memory and the file descriptors of each new worker process. Its engines inherit both limits.
      fleet.confine('worker', 0, (pid) => {
        writeFileSync(join(group, 'cgroup.procs'), String(pid))
        spawnSync('prlimit', ['--pid', String(pid), `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`])
      })
      const isStarted = await Promise.race([fleet.roll('worker', 0).then(() => true), delay(START_MS, false)])
      if (!isStarted) return [await checkStart(environment)]
      const startedAt = performance.now()
      const ids = []
      for (let index = 0; index < REQUESTS; index += 1) ids.push(await accept(KINDS[index % KINDS.length] ?? 'small'))
      // Poll one request after the other, because polling all requests at the same time would add load.
      const ends = []
      for (const id of ids) ends.push(await ended(id, Math.max(0, startedAt + TIMEOUT_MS - performance.now())))
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      const peak = Number(readFileSync(join(group, 'memory.max_usage_in_bytes'), 'utf8'))
      const log = await readFile(join(environment.folder, 'logs', 'worker-0.log'), 'utf8')
      return checkEnds(ends, { seconds, peak, baselineMs: baseline.ms, unasked: fleet.unasked, log })
    } finally {
      await fleet.stop()
      await soon(() => processesOf(environment.dataDir, /engines/).length === 0, 10_000)
      for (let tries = 0; tries < 20 && !removed(group); tries += 1) await delay(100)
    }
  },
}

async function checkStart({ folder }: Environment): Promise<Finding> {
  const log = await readFile(join(folder, 'logs', 'worker-0.log'), 'utf8')
  const figure = log.split('\n').findLast((line) => /^\w*Error/.test(line)) ?? 'its log contains no error'
  return { what: `a worker with too few resources starts within ${START_MS / 1_000} s`, figure, kept: false }
}

function removed(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

type Seen = { seconds: number; peak: number; baselineMs: number; unasked: string[]; log: string }

function checkEnds(ends: { status: string; charges: number }[], seen: Seen): Finding[] {
  const count = (status: string) => ends.filter((end) => end.status === status).length
  const wrong = ends.filter(({ status, charges }) => charges !== (status === 'succeeded' ? 1 : 0))
  const warned = seen.log.split('\n').filter((line) => /jobs at once|open files/.test(line))
  return [
    {
      what: `${CONCURRENCY} jobs at once in 1 GiB with ${DESCRIPTORS} file descriptors: every request succeeds and is charged once`,
      figure: `${count('succeeded')} of ${ends.length} succeeded, ${count('failed')} failed, ${wrong.length} wrongly charged, in ${seen.seconds} s; peak ${Math.round(seen.peak / 2 ** 20)} MiB (one large image alone: ${seen.baselineMs} ms)`,
      kept: count('succeeded') === ends.length && wrong.length === 0,
    },
    { what: 'the worker never exits unexpectedly', figure: seen.unasked.join(), kept: seen.unasked.length === 0 },
    {
      what: 'at startup, the worker logs one warning per limit that is too low',
      figure: warned.map((line) => String(JSON.parse(line).msg)).join(' | '),
      kept: warned.length >= 2,
    },
  ]
}
