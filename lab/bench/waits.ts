/**
 * Measures long polls (`Prefer: wait`): `node lab/bench/waits.ts [--rounds 5] [--jobs 60]`. Linux only.
 * First measures the time of a long poll for one small image, minus the engine's time. Then compares the CPU time of
 * the API and PostgreSQL between a long poll, repeated polls (after 0, 10, 23, 40, 62 ms, and so on), and a call
 * without any poll. Last, measures the memory and the statements of 2,000 long polls.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { freePort, until } from '../support/process.ts'
import { SECRET_KEY } from '../support/request-rows.ts'
import { startRole } from '../support/role-process.ts'
import { startService } from '../support/service.ts'
import { startFileServer } from './file-server.ts'
import { photograph } from './photograph.ts'
import { startMeter } from './process-meter.ts'
import { partOf, serveForBench } from './serve-for-bench.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, jobs: { type: 'string', default: '60' } },
})
const [rounds, jobs] = [Number(values.rounds), Number(values.jobs)]
const HELD = 2_000
const FIRST_POLL_MS = 10
const POLL_GROWTH = 1.3
const LAST_POLL_MS = 500
const STATEMENTS_SECONDS = 10
/** PostgreSQL may report its statistics with this delay (`PGSTAT_IDLE_INTERVAL` in its source, plus a margin). */
const REPORTED_MS = 11_000
/** The pause after each call. A small image finishes within it. */
const ALONE_MS = 60

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
await writeFile(join(folder, 'a.jpg'), await photograph(600, 450).jpeg({ quality: 88 }).toBuffer())
const files = stack.use(await startFileServer(folder))

type CallResponse = { id: number; status: string; timings?: { process_ms: number } }

const print = (row: object) => void process.stdout.write(`${JSON.stringify(row)}\n`)
const round = (value: number) => Math.round(value * 100) / 100
const at = (numbers: readonly number[], share: number) =>
  round(numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN)

await measureImages()
await measureHeld()

async function measureImages(): Promise<void> {
  await using service = await serveForBench(join(folder, 'data'), files.host)
  const { base, key } = service
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const operations = [{ type: 'resize', width: 320, height: 320 }]
  const body = JSON.stringify({ source: files.url('a.jpg'), operations })

  async function call(path: string, init: RequestInit): Promise<CallResponse> {
    const response = await fetch(base + path, init)
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as CallResponse
  }

  /** Sends a long poll. Returns its time in milliseconds beyond the engine's own time. */
  async function wait(): Promise<number> {
    const startedAt = performance.now()
    const waiting = { method: 'POST', headers: { ...headers, prefer: 'wait=20' }, body }
    const { status, timings } = await call('/images/process', waiting)
    if (status !== 'succeeded') throw new Error(`an image request with a long poll is ${status}`)
    return performance.now() - startedAt - (timings?.process_ms ?? 0)
  }

  let polls = 0
  async function poll(): Promise<void> {
    const { id } = await call('/images/process', { method: 'POST', headers, body })
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * POLL_GROWTH, LAST_POLL_MS)) {
      const { status } = await call(`/requests/${id}`, { headers })
      polls += 1
      if (status === 'succeeded') return
      if (status === 'failed') throw new Error('a polled image request failed')
      await delay(pauseMs)
    }
  }

  /** Sends a call without any poll, to measure the cost of the request itself. */
  async function post(): Promise<void> {
    await call('/images/process', { method: 'POST', headers, body })
    await delay(ALONE_MS)
  }

  using meter = startMeter([files.pid])
  meter.isWatching = false
  async function cpuOf(work: () => Promise<unknown>): Promise<number> {
    await meter.restart()
    for (let count = 0; count < jobs; count += 1) await work()
    const { api = 0, postgres = 0 } = await meter.cpuMsOf(partOf)
    return (api + postgres) / jobs
  }

  for (let count = 0; count < jobs; count += 1) await wait()
  const beyond: number[] = []
  for (let count = 0; count < 5 * jobs; count += 1) beyond.push(await wait())
  print({ case: 'time in addition to the engine, ms', p50: at(beyond, 0.5), p99: at(beyond, 0.99), atMost: [60, 250] })
  await cpuOf(poll)
  const ratios: number[] = []
  const floors: number[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    polls = 0
    const [waitedMs, polledMs] = [await cpuOf(wait), await cpuOf(poll)]
    const alone = await cpuOf(post)
    ratios.push(waitedMs / polledMs)
    floors.push(alone / polledMs)
    const each = { waitedMs: round(waitedMs), polledMs: round(polledMs), aloneMs: round(alone) }
    print({ ...each, polls: round(polls / jobs), ratio: round(waitedMs / polledMs) })
  }
  const [ratio, floor] = [at(ratios, 0.5), at(floors, 0.5)]
  print({ case: 'CPU of API and PostgreSQL, long poll ÷ polling', ratio, atMost: 0.6, neitherWaitedNorPolled: floor })
}

/** Measures long polls for requests that no worker processes, on an API server with no other load. */
async function measureHeld(): Promise<void> {
  await using service = await startService({ workers: false, allowed: [files.host] })
  const { sql, account } = service
  await sql`
    update accounts set requests_per_minute = 1000000, concurrent_requests = ${HELD} where id = ${account.id}`
  const port = await freePort()
  const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir }
  await using api = await startRole('api', { ...settings, PORT: String(port), ALLOWED_PRIVATE_HOSTS: files.host })
  const memoryMb = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${api.child.pid}/status`, 'latin1'))?.[1]) / 1024

  async function post(seconds: number) {
    const call = httpRequest(`http://127.0.0.1:${port}/v1/images/read`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${account.liveKey}`,
        'content-type': 'application/json',
        ...(seconds > 0 && { prefer: `wait=${seconds}` }),
      },
    })
    call.on('error', () => {})
    call.end(JSON.stringify({ source: files.url('a.jpg') }))
    return call
  }

  // The first calls load code, which must not be measured.
  for (let count = 0; count < 50; count += 1) {
    const [response] = await once(await post(0), 'response')
    response.resume()
  }
  const waiting = async () =>
    Number(
      /^mediamill_long_polls(?:\{\S*\})? (\d+)/m.exec(
        await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      )?.[1],
    )
  const idlePerSecond = await statementRate(sql)
  const before = memoryMb()
  const calls = await Promise.all(Array.from({ length: HELD - 50 }, () => post(55)))
  await until(async () => (await waiting()) === calls.length)
  const grownMb = Math.round(memoryMb() - before)
  const statementsPerSecond = round((await statementRate(sql)) - idlePerSecond)
  const memory = { held: calls.length, grownMb, atMostMb: 150 }
  print({ case: 'long polls', ...memory, statementsPerSecond, atMost: 10, withoutThemPerSecond: idlePerSecond })
  for (const call of calls) call.destroy()
}

/** Returns the transactions per second of the whole database. Each transaction is one statement. */
async function statementRate(sql: Sql): Promise<number> {
  const count = async () => {
    const [row] = await sql<{ done: number }[]>`
      select pg_stat_clear_snapshot(), xact_commit as done from pg_stat_database where datname = current_database()`
    return row?.done ?? Number.NaN
  }
  await delay(REPORTED_MS)
  const from = await count()
  await delay(STATEMENTS_SECONDS * 1_000)
  return ((await count()) - from) / STATEMENTS_SECONDS
}
