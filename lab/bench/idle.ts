/**
 * Measures an idle service: `node lab/bench/idle.ts [--seconds 60] [--jobs 0]`. Linux only.
 * Prints the CPU time of each process over `--seconds`, and the memory (PSS). With `--jobs N`, first processes N small
 * images twice, and measures the memory after each batch. Exits with 1 if a goal is missed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { descendants, pssMbOf } from '../support/processes.ts'
import { startFileServer } from './file-server.ts'
import { photograph } from './photograph.ts'
import { sumByPart, sumOf } from './process-meter.ts'
import { nameOf } from './process-names.ts'
import type { BenchedService } from './serve-for-bench.ts'
import { serveForBench } from './serve-for-bench.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, jobs: { type: 'string', default: '0' } },
})
const [seconds, jobs] = [Number(values.seconds), Number(values.jobs)]
const MAX_CPU_MS = 5
const MAX_MB = 350
/** The maximum growth of memory in the second batch of jobs, in megabytes. Measurements differ by up to this much. */
const MAX_ADDED_MB = 10
/** The wait before a measurement. Engines exit after a minute without a job, and new engines need time to start. */
const QUIET_MS = 75_000
const IN_FLIGHT = 8

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
await writeFile(join(folder, 'a.jpg'), await photograph(600, 450).jpeg({ quality: 88 }).toBuffer())
const files = stack.use(await startFileServer(folder))
const service = stack.use(await serveForBench(join(folder, 'data'), files.host))

const print = (row: object) => void process.stdout.write(`${JSON.stringify(row)}\n`)
const round = (value: number) => Math.round(value * 100) / 100

const afterJobs: number[] = []
for (let turn = 0; jobs > 0 && turn < 2; turn += 1) {
  await makeImages(service)
  await delay(QUIET_MS)
  const held = await readMemory()
  afterJobs.push(sumOf(held))
  const shares = Object.fromEntries([...held].map(([name, mb]) => [name, round(mb)]))
  print({ case: `PSS after ${(turn + 1) * jobs} images and an idle minute, MB`, all: round(sumOf(held)), shares })
}
if (jobs === 0) await delay(QUIET_MS)
const cpu = await measureCpu()
const memory = await readMemory()
for (const [name, ms] of cpu) print({ process: name, cpuMsPerSecond: round(ms), pssMb: round(memory.get(name) ?? 0) })
const [allMs, allMb] = [sumOf(cpu), sumOf(memory)]
const addedMb = (afterJobs[1] ?? 0) - (afterJobs[0] ?? 0)
print({ process: 'all', cpuMsPerSecond: round(allMs), atMost: MAX_CPU_MS, pssMb: round(allMb), atMostMb: MAX_MB })
if (jobs > 0) print({ case: 'memory added by the second round, MB', addedMb: round(addedMb), atMostMb: MAX_ADDED_MB })
if (allMs > MAX_CPU_MS || allMb > MAX_MB || addedMb > MAX_ADDED_MB) process.exitCode = 1

function listProcesses(): Promise<number[]> {
  return descendants((command) => !command.includes('file-server.ts'))
}

async function measureCpu(): Promise<Map<string, number>> {
  const before = new Map((await listProcesses()).map((pid) => [pid, cpuMsOf(pid)]))
  const startedAt = performance.now()
  await delay(seconds * 1_000)
  const passed = (performance.now() - startedAt) / 1_000
  return sumByPart(
    (await listProcesses()).map((pid) => [nameOf(pid), (cpuMsOf(pid) - (before.get(pid) ?? 0)) / passed]),
  )
}

async function readMemory(): Promise<Map<string, number>> {
  return sumByPart((await listProcesses()).map((pid) => [nameOf(pid), pssMbOf(pid)]))
}

/** Reads the CPU time of a process from the scheduler, because the times in proc(5) have units of 10 ms. */
function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  )
  return nanoseconds.reduce((total, time) => total + time, 0) / 1e6
}

async function makeImages({ base, key }: BenchedService): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=30' }
  const operations = [{ type: 'resize', width: 320, height: 320 }]
  const body = JSON.stringify({ source: files.url('a.jpg'), operations })
  let left = jobs
  const makeSome = async () => {
    while (left > 0) {
      left -= 1
      const response = await fetch(`${base}/images/process`, { method: 'POST', headers, body })
      const { status } = (await response.json()) as { status: string }
      if (status !== 'succeeded') throw new Error(`an image request is ${status}`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, makeSome))
}
