/**
 * Compares the CPU time per job of the service and of a small server (`baseline-server/server.ts`). Linux only:
 * `node lab/bench/baseline-server.ts [--rounds 5] [--jobs noop,small10] [--scale 3] [--out FILE]`.
 * Run nothing else on the machine. Start the service once before, to fill its compile cache. `--scale` multiplies the
 * jobs per round.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Way } from './baseline-server/client.ts'
import { each, runJob } from './baseline-server/client.ts'
import { BASELINE_JOBS, makeImages } from './baseline-server/jobs.ts'
import { startBaselineServer } from './baseline-server/start.ts'
import { startFileServer } from './file-server.ts'
import type { Meter } from './process-meter.ts'
import { startMeter, sumOf } from './process-meter.ts'
import type { BenchedService } from './serve-for-bench.ts'
import { serveForBench } from './serve-for-bench.ts'
import { median } from './tool.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: Object.keys(BASELINE_JOBS).join() },
    ways: { type: 'string', default: 'polled,waited' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const isJob = (name: string): name is keyof typeof BASELINE_JOBS => Object.hasOwn(BASELINE_JOBS, name)
const names = values.jobs.split(',').filter(isJob)

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
const imageFolder = join(folder, 'pictures')
await makeImages(imageFolder)
const files = stack.use(await startFileServer(imageFolder))

type Side = { name: string; service: BenchedService; way: Way; meter: Meter }
const isOurs = (command: string) => command.includes('main.ts')
const isTheirs = (command: string) => !command.includes('main.ts') && !command.includes('file-server.ts')
const ours = {
  service: stack.use(await serveForBench(join(folder, 'data'), files.host)),
  meter: startMeter({ isOurs }),
}
const theirs = {
  service: stack.use(await startBaselineServer(join(folder, 'hand'))),
  meter: startMeter({ isOurs: isTheirs }),
}
const baseline: Side = { ...theirs, name: 'by hand', way: 'polled' }
const ourSides: Side[] = [
  { ...ours, name: 'ours, polled', way: 'polled' },
  { ...ours, name: 'ours, waited', way: 'waited' },
]
const sides = [baseline, ...ourSides.filter(({ way }) => values.ways.split(',').includes(way))]

const rows: object[] = []
function print(row: object): void {
  rows.push(row)
  process.stdout.write(`${JSON.stringify(row)}\n`)
}
const round = (value: number) => Math.round(value * 100) / 100
for (const name of names) await compare(name)
for (const { name, meter } of [baseline, { ...ours, name: 'ours' }]) {
  const parts = await meter.pssMb()
  const shares = Object.fromEntries([...parts].map(([part, mb]) => [part, round(mb)]))
  print({ case: 'memory after this load, PSS in MB', side: name, pssMb: round(sumOf(parts)), shares })
}
if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(rows, null, 1)}\n`)

async function compare(name: keyof typeof BASELINE_JOBS): Promise<void> {
  const figures = new Map(sides.map((side) => [side.name, [] as number[]]))
  const parts = new Map<string, Map<string, number>>()
  // A job costs more until V8 has compiled the code, so report the first round separately.
  const firsts = new Map<string, number>()
  for (const side of sides) firsts.set(side.name, sumOf((await runRound(name, side)).used))
  const polls = new Map<string, number>()
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const side of sides) {
      const { used, asked } = await runRound(name, side)
      polls.set(side.name, asked)
      figures.get(side.name)?.push(sumOf(used))
      parts.set(side.name, used)
    }
  }
  const base = median(figures.get(baseline.name) ?? [])
  for (const { name: side } of sides) {
    const all = figures.get(side) ?? []
    const shares = Object.fromEntries([...(parts.get(side) ?? [])].map(([part, ms]) => [part, round(ms)]))
    const ratio = round(median(all) / base)
    print({
      job: name,
      side,
      ms: round(median(all)),
      from: round(Math.min(...all)),
      to: round(Math.max(...all)),
      ratio,
      first: round(firsts.get(side) ?? Number.NaN),
      polls: round(polls.get(side) ?? 0),
      shares,
    })
  }
}

type Round = { used: Map<string, number>; asked: number }

/** Runs the jobs of a round. `asked` counts polls per job. `used` is the CPU time per job in ms, by process name. */
async function runRound(name: keyof typeof BASELINE_JOBS, { service, way, meter }: Side): Promise<Round> {
  const { path, body, atOnce } = BASELINE_JOBS[name]
  const count = BASELINE_JOBS[name].count * Number(values.scale)
  await meter.restart()
  let asked = 0
  await each(count, atOnce, async (number) => {
    asked += await runJob(service, path, body(files.url, number), way)
  })
  const used = new Map([...(await meter.cpuMs())].map(([part, ms]) => [part, ms / count]))
  return { used, asked: asked / count }
}
