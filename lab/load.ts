/**
 * Sends calls at a constant rate to several API servers, and checks that no request is lost. Linux only:
 * `npm run load -- [--rate 300] [--seconds 60] [--apis 2] [--workers 3] [--concurrency 1] [--logs FOLDER]`.
 * Prints the CPU time per job, and the processors that 1, 10, and 100 jobs per second need. Slow responses do not
 * reduce the rate: the measured time of a call starts when the call is due.
 */
import { cp } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureJobCost } from './bench/job-cost.ts'
import { openEnvironment } from './chaos/environment.ts'
import { checkLedger, checkRemains, checkStore } from './chaos/final-state.ts'
import { startFleet } from './chaos/fleet.ts'
import type { RequestRecord } from './chaos/records.ts'
import { countOpen, readRecords } from './chaos/records.ts'
import { describeTimes } from './chaos/report.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '60' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1' },
    logs: { type: 'string' },
  },
})
const [rate, seconds, apis, workers] = [values.rate, values.seconds, values.apis, values.workers].map(Number)
if (rate === undefined || seconds === undefined || apis === undefined || workers === undefined) throw new RangeError()
const calls = rate * seconds
const print = (text: string) => void process.stdout.write(`${text}\n`)

type Call = { status: number; id: number | undefined; ms: number; lateMs: number }

await using environment = await openEnvironment({
  accounts: 20,
  workerConcurrency: Number(values.concurrency),
  store: 'files',
  database: 'embedded',
})
const fleetOptions = { apis, workers, logs: join(environment.folder, 'logs'), settings: environment.settings }
await using fleet = await startFleet(fleetOptions)
await fleet.ready()
using cost = await measureJobCost(environment.sql)
print(`${rate} calls per second for ${seconds} s to ${apis} API servers, ${workers} workers; load average ${loadOf()}`)

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const beganAt = performance.now()
const responses: Promise<Call>[] = []
for (let number = 0; number < calls; number += 1) {
  const dueAt = beganAt + (number * 1_000) / rate
  // If the event loop was busy, several calls are due now, so send all of them without a pause.
  if (dueAt > performance.now()) await delay(Math.max(1, dueAt - performance.now()))
  responses.push(post(number, dueAt))
}
const sent = await Promise.all(responses)
const acceptedIn = (performance.now() - beganAt) / 1_000
agent.destroy()
const { requests: backlog } = await countOpen(environment.sql)
print(describeCalls(sent, acceptedIn, backlog))
await drain()
const drainedIn = (performance.now() - beganAt) / 1_000
const costs = await cost.describe(calls)
const records = await readRecords(environment.sql)
const codes = await fleet.stop()
if (values.logs !== undefined) await cp(join(environment.folder, 'logs'), values.logs, { recursive: true })
const verdicts = [
  {
    guarantee: 'every call was accepted',
    violations: list(sent, ({ status }) => status !== 202 && `returned ${status}`),
  },
  {
    guarantee: 'every accepted call created its own request',
    violations: new Set(sent.map(({ id }) => id)).size === records.length ? [] : [`${records.length} rows`],
  },
  { guarantee: 'every request succeeded on the first attempt', violations: list(records, wrongEnd) },
  {
    guarantee: 'every request was charged once',
    violations: list(
      records,
      ({ id, price, charges }) => charges.join() !== String(price) && `request ${id}: ${charges.join()}`,
    ),
  },
  ...(await checkLedger(environment)),
  ...(await checkStore(environment, records)).verdicts,
  ...(await checkRemains(environment)),
  { guarantee: 'no process exited unexpectedly', violations: fleet.unasked },
  { guarantee: 'every process exited with 0', violations: list(codes, (code) => code !== 0 && `exit ${code}`) },
]
print(
  `drained ${drainedIn.toFixed(1)} s after the first call: ${(records.length / drainedIn).toFixed(0)} requests per second; load average ${loadOf()}`,
)
print(`time from acceptance to final state: ${describeTimes(records.map(({ waitedMs }) => waitedMs))}`)
print(costs)
for (const { guarantee, violations } of verdicts) {
  print(`  ${violations.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`)
  for (const one of violations.slice(0, 5)) print(`            ${one}`)
}
process.exitCode = verdicts.every(({ violations }) => violations.length === 0) ? 0 : 1

function post(number: number, dueAt: number): Promise<Call> {
  const madeAt = performance.now()
  const body = JSON.stringify({
    source: environment.sources('small'),
    operations: [{ type: 'resize', width: 64, height: 64 }],
    metadata: { intent: String(number) },
  })
  const url = new URL('/v1/images/process', fleet.urls[number % fleet.urls.length])
  const headers = {
    authorization: `Bearer ${environment.accounts[number % environment.accounts.length]?.liveKey}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve) => {
    const end = (status: number, id?: number) =>
      resolve({ status, id, ms: performance.now() - dueAt, lateMs: madeAt - dueAt })
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => end(response.statusCode ?? 0, (JSON.parse(text) as { id?: number }).id))
    })
    call.on('error', () => end(0))
    call.end(body)
  })
}

async function drain(): Promise<void> {
  while ((await countOpen(environment.sql)).requests > 0) await delay(1_000)
}

function wrongEnd({ id, status, attempt, error }: RequestRecord): string | false {
  return (
    (status !== 'succeeded' || attempt !== 1) && `request ${id}, attempt ${attempt}: ${status} ${error?.message ?? ''}`
  )
}

function describeCalls(made: readonly Call[], inSeconds: number, waiting: number): string {
  const statuses = [...Map.groupBy(made, ({ status }) => status)].map(([status, group]) => `${status} ${group.length}`)
  return [
    `responses: ${statuses.join(', ')} in ${inSeconds.toFixed(1)} s; ${waiting} requests still open; load average ${loadOf()}`,
    `time from due to response: ${describeTimes(made.map(({ ms }) => ms))}`,
    `of which delay before the call was sent: ${describeTimes(made.map(({ lateMs }) => lateMs))}`,
  ].join('\n')
}

function list<Item>(items: readonly Item[], find: (item: Item) => string | false): string[] {
  return items.flatMap((item) => find(item) || [])
}

function loadOf(): string {
  return loadavg()[0]?.toFixed(1) ?? ''
}
