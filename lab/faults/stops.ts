import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enginesOf, processesOf } from '../chaos/fleet.ts'
import { signalAll } from '../support/processes.ts'
import type { Bench, Finding, Scenario } from './bench.ts'
import { openBench, soon } from './bench.ts'

/** Limits with a margin. docs/operate/scaling.md promises a takeover after 8 s, and responses within 10 s. */
const TAKEN_OVER_MS = 25_000
const ANSWERED_MS = 10_500
const BACK_MS = 10_000
const ENGINE_DEADLINE_S = 4

/** Pauses processes of each kind, as a debugger or a machine that swaps does. */
export const stops: Scenario = {
  name: 'stopped processes',
  async run() {
    await using bench = await openBench({ apis: 2, workers: 2, settings: { IMAGE_DEADLINE: `${ENGINE_DEADLINE_S}s` } })
    await bench.ended(await bench.accept('small'), 60_000)
    return [
      ...(await stopWorker(bench)),
      ...(await stopInterface(bench)),
      ...(await stopEngine(bench)),
      ...(await stopDatabase(bench)),
      ...(await stopSupervisor(bench)),
    ]
  },
}

async function stopWorker({ accept, ended, fleet, environment }: Bench): Promise<Finding[]> {
  const [first, second] = [fleet.pidOf('worker', 0), fleet.pidOf('worker', 1)]
  // Pause the second worker, so that the first worker claims the request. Then pause the first worker.
  signalAll([second], 'SIGSTOP')
  const id = await accept('slow')
  await soon(async () => (await statusOf(environment, id)) === 'processing', 20_000)
  signalAll([second], 'SIGCONT')
  signalAll([first], 'SIGSTOP')
  const taken = await ended(id, 60_000)
  signalAll([first], 'SIGCONT')
  // The first worker runs again, and detects that another worker owns its request.
  const next = await ended(await accept('small'), 20_000)
  const after = await ended(id, 0)
  return [
    {
      what: 'a stopped worker: another worker completes its request, charged once',
      figure: `${taken.ms} ms, attempt ${taken.attempt}, ${after.charges} charge`,
      kept:
        taken.status === 'succeeded' && taken.ms < TAKEN_OVER_MS && after.charges === 1 && after.status === 'succeeded',
    },
    {
      what: 'a resumed worker: no process exits unexpectedly',
      figure: `${fleet.unasked.length} unexpected exits, the next request ${next.status} after ${next.ms} ms`,
      kept: fleet.unasked.length === 0 && next.status === 'succeeded',
    },
  ]
}

async function statusOf({ sql }: Bench['environment'], id: number): Promise<string | undefined> {
  const [row] = await sql<{ status: string }[]>`select status from requests where id = ${id}`
  return row?.status
}

async function stopInterface({ call, fleet }: Bench): Promise<Finding[]> {
  const pid = fleet.pidOf('api', 0)
  signalAll([pid], 'SIGSTOP')
  const other = await call('GET', '/v1/account', { api: 1 })
  const silent = await call('GET', '/livez', { api: 0, timeoutMs: 1_000 })
  signalAll([pid], 'SIGCONT')
  const back = await soon(
    async () => (await call('GET', '/v1/account', { api: 0, timeoutMs: 2_000 })).status === 200,
    20_000,
  )
  return [
    {
      what: 'a stopped API server: the other API server responds, and /livez of the stopped API server times out',
      figure: `${other.status} after ${other.ms} ms; ${silent.status}`,
      kept: other.status === 200 && silent.status === 0,
    },
    {
      what: 'a resumed API server responds again',
      figure: `${back} ms`,
      kept: back !== undefined && back < BACK_MS,
    },
  ]
}

async function stopEngine({ accept, ended, environment }: Bench): Promise<Finding[]> {
  const engines = enginesOf(environment.dataDir)
  signalAll(engines, 'SIGSTOP')
  const ends = []
  // Each worker has its own engine, so send one request for each worker.
  for (const id of [await accept('large'), await accept('large')]) ends.push(await ended(id, 60_000))
  signalAll(engines, 'SIGCONT')
  const next = await ended(await accept('large'), 20_000)
  const boundMs = 3 * (ENGINE_DEADLINE_S * 1_000 + 10_000)
  return [
    {
      what: 'stopped engines: their requests end by the deadline, and new engines process the next request',
      figure: `${ends.map(({ status, ms }) => `${status} after ${ms} ms`).join(', ')}; then ${next.status} after ${next.ms} ms`,
      kept:
        engines.length > 0 &&
        ends.every(({ status, ms, charges }) => ms < boundMs && charges === (status === 'succeeded' ? 1 : 0)) &&
        next.status === 'succeeded',
    },
  ]
}

async function stopDatabase({ accept, call, ended, environment, fleet }: Bench): Promise<Finding[]> {
  const id = await accept('slow')
  const pids = processesOf(join(environment.dataDir, 'postgres'), /postgres/).concat(
    await serversOf(environment.dataDir),
  )
  signalAll(pids, 'SIGSTOP')
  const [read, ready] = [await call('GET', '/v1/account'), await call('GET', '/readyz', { api: 1 })]
  signalAll(pids, 'SIGCONT')
  const back = await soon(async () => (await call('GET', '/v1/account', { timeoutMs: 3_000 })).status === 200, 30_000)
  const end = await ended(id, 60_000)
  return [
    {
      what: 'a stopped PostgreSQL: calls and /readyz return 503 within 10 s',
      figure: `${read.status} after ${read.ms} ms; ${ready.status} after ${ready.ms} ms`,
      kept: read.status === 503 && read.ms < ANSWERED_MS && ready.status === 503 && ready.ms < ANSWERED_MS,
    },
    {
      what: 'a resumed PostgreSQL: calls and the running request succeed, and no process exits unexpectedly',
      figure: `calls after ${back} ms, the request ${end.status} after ${end.ms} ms, ${end.charges} charge`,
      kept:
        back !== undefined &&
        back < BACK_MS &&
        end.status === 'succeeded' &&
        end.charges === 1 &&
        fleet.unasked.length === 0,
    },
  ]
}

/** Returns the process ids of PostgreSQL and its sessions. Only the server's command line names the folder. */
async function serversOf(dataDir: string): Promise<number[]> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')
  const server = Number(file.split('\n')[0])
  const children = await readFile(`/proc/${server}/task/${server}/children`, 'utf8')
  return [server, ...children.split(' ').filter(Boolean).map(Number)]
}

async function stopSupervisor({ accept, call, ended, environment }: Bench): Promise<Finding[]> {
  const keepers = processesOf(environment.dataDir, /postgres\/supervisor/)
  signalAll(keepers, 'SIGSTOP')
  const response = await call('GET', '/v1/account')
  const end = await ended(await accept('small'), 20_000)
  signalAll(keepers, 'SIGCONT')
  return [
    {
      what: 'a stopped PostgreSQL supervisor: calls and requests succeed',
      figure: `${keepers.length} stopped; ${response.status}, a request ${end.status} after ${end.ms} ms`,
      kept: keepers.length > 0 && response.status === 200 && end.status === 'succeeded',
    },
  ]
}
