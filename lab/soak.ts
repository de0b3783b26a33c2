/**
 * Runs jobs of all endpoints for a long time at half of the machine's capacity, and checks for leaks. Linux only:
 * `npm run soak -- --minutes 60 [--share 0.5] [--report FILE] [--keep FILE] [--from FILE]`.
 * `--keep` saves every sample and job as JSON. `--from` writes the report from such a file, without running jobs. Exits
 * with 1 if memory, files, connections, or tables grow, if jobs become slower, or if a job has an unexpected outcome.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openEnvironment } from './chaos/environment.ts'
import { checkLedger, checkRemains } from './chaos/final-state.ts'
import { startFleet } from './chaos/fleet.ts'
import { countOpen } from './chaos/records.ts'
import { Caller } from './soak/mix.ts'
import type { Ended, SoakRun } from './soak/report.ts'
import { reportOf } from './soak/report.ts'
import type { Sample } from './soak/sample.ts'
import { takeSample } from './soak/sample.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    share: { type: 'string', default: '0.5' },
    report: { type: 'string' },
    keep: { type: 'string' },
    from: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const print = (text: string) => void process.stdout.write(`${text}\n`)
const logProgress = (text: string) => void process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`)

const SAMPLE_MS = 5_000
/** The duration of the capacity measurement. Requests that finish in its first `WARM_UP_MS` are not counted. */
const TRIAL_MS = 40_000
const WARM_UP_MS = 15_000
const AT_ONCE = 8
const PROGRESS_MS = 300_000
/** If no request or event ends in this time, the service hangs. Rejected events are retried after a minute. */
const STUCK_MS = 180_000
const BASE_URL = 'http://media.soak.example'

if (values.from !== undefined) {
  await report(JSON.parse(await readFile(values.from, 'utf8')) as SoakRun)
  process.exit()
}
await using environment = await openEnvironment({
  accounts: 5,
  workerConcurrency: cpus().length,
  store: 'files',
  database: 'embedded',
})
// Use a short retention, so that files are deleted during the test and do not accumulate.
const settings = { ...environment.settings, BASE_URL, RETENTION: '1m', LOG_LEVEL: 'warn' }
await using fleet = await startFleet({ apis: 1, workers: 1, logs: join(environment.folder, 'logs'), settings })
await fleet.ready()
const [url = ''] = fleet.urls
const caller = new Caller(environment, url, BASE_URL)

logProgress('The service is ready. Measuring the capacity of the machine.')
const capacity = await measureCapacity()
const rate = capacity * Number(values.share)
await drain()
print(
  `Capacity: ${capacity.toFixed(1)} jobs per second. Load: ${rate.toFixed(1)} jobs per second for ${minutes} minutes.`,
)

const samples: Sample[] = []
const unsampled: string[] = []
const firstJob = caller.sent
const [{ now: startedAt } = { now: new Date() }] = await environment.sql<{ now: Date }[]>`select now() as now`
const beganAt = performance.now()
const sampling = sampleAll()
const progressTimer = setInterval(() => void reportProgress(), Math.min(PROGRESS_MS, minutes * 15_000))
const responses: Promise<void>[] = []
for (let number = 0; number < rate * minutes * 60; number += 1) {
  const dueAt = beganAt + (number * 1000) / rate
  if (dueAt > performance.now()) await delay(dueAt - performance.now())
  responses.push(caller.next())
  if (responses.length >= 500) await Promise.all(responses.splice(0, 100))
}
await Promise.all(responses)
await sampling
clearInterval(progressTimer)
await drain()
logProgress('All requests and events have finished. Checking the results.')
const ended = await readEnded()
await fleet.stop()
const verdicts = [...(await checkLedger(environment)), ...(await checkRemains(environment))]
const broken = [
  ...verdicts.flatMap(({ guarantee, violations }) => violations.slice(0, 3).map((one) => `${guarantee}: ${one}`)),
  ...fleet.unasked,
  ...caller.faults.slice(0, 5),
  ...unsampled.slice(0, 1),
]
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'a processor'}`
const run = { minutes, machine, capacity, rate, samples, ended, broken }
if (values.keep !== undefined) await writeFile(values.keep, JSON.stringify(run))
await report(run)

async function report(of: SoakRun): Promise<void> {
  const { text, faults } = reportOf(of)
  print(text)
  if (values.report !== undefined) {
    await mkdir(dirname(values.report), { recursive: true })
    await writeFile(values.report, text)
  }
  process.exitCode = faults.length === 0 ? 0 : 1
}

/** Measures how many jobs per second the service processes if its queue is never empty. */
async function measureCapacity(): Promise<number> {
  const startedMs = performance.now()
  let counted = 0
  let countedFrom = 0
  const isOver = () => performance.now() - startedMs > TRIAL_MS
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (!isOver()) {
        await caller.next(true)
        if (performance.now() - startedMs < WARM_UP_MS || isOver()) continue
        if (countedFrom === 0) countedFrom = performance.now()
        counted += 1
      }
    }),
  )
  return (counted * 1000) / (TRIAL_MS - WARM_UP_MS)
}

async function sampleAll(): Promise<void> {
  while (performance.now() - beganAt < minutes * 60_000) {
    try {
      samples.push(await takeSample(performance.now() - beganAt, environment.sql, environment.dataDir))
    } catch (error) {
      unsampled.push(`a sample could not be taken: ${String(error)}`)
    }
    // Delete received events. They are in the memory of this process, so its memory would seem to leak.
    environment.received.splice(0)
    await delay(SAMPLE_MS)
  }
}

async function reportProgress(): Promise<void> {
  const open = await countOpen(environment.sql).catch(() => undefined)
  const memory = Object.entries(samples.at(-1)?.values ?? {}).filter(([name]) => name.startsWith('memory'))
  logProgress(
    `${Math.round((performance.now() - beganAt) / 6_000) / 10} min: ${caller.sent - firstJob} sent, ` +
      `${open?.requests ?? '?'} open requests, ${open?.events ?? '?'} pending events, ${caller.faults.length} failed calls; ` +
      memory.map(([name, value]) => `${name} ${Math.round(value)}`).join(', '),
  )
}

/** Waits until no request and no event is open. Throws if their numbers do not change for `STUCK_MS`. */
async function drain(): Promise<void> {
  let last = await countOpen(environment.sql)
  let movedAt = performance.now()
  logProgress(`${last.requests} requests and ${last.events} events are open.`)
  while (last.requests + last.events > 0) {
    await delay(500)
    const open = await countOpen(environment.sql)
    if (open.requests !== last.requests || open.events !== last.events) movedAt = performance.now()
    if (performance.now() - movedAt > STUCK_MS)
      throw new Error(`timed out: ${open.requests} requests and ${open.events} events are still open`)
    last = open
  }
}

/** Reads the finished requests of the test. Only requests with an invalid source may fail. */
async function readEnded(): Promise<Ended[]> {
  return await environment.sql<Ended[]>`
    select extract(epoch from created_at - ${startedAt}::timestamptz)::float8 * 1000 as "atMs",
      extract(epoch from completed_at - created_at)::float8 * 1000 as "tookMs",
      attempt = 1 and status = case when source like '%/damaged' then 'failed' else 'succeeded' end as "isRight"
    from requests where (metadata ->> 'intent')::integer >= ${firstJob} order by id`
}
