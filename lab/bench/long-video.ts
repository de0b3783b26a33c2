import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { videosProcess } from '@mediamill/contract/endpoints/videos-process'
import type { PartsPlan } from '@mediamill/media/plan/video-parts'
import { startFileServer } from './file-server.ts'
import type { BenchWorker, InParts, Work } from './long-video/fleet.ts'
import { inOnePiece, inParts, joinAgain, startWorker } from './long-video/fleet.ts'
import type { Verdict } from './long-video/judge.ts'
import { judge } from './long-video/judge.ts'
import type { Source } from './long-video/sources.ts'
import { kindsOf, makeLarge, makeSource } from './long-video/sources.ts'
import { startMeter } from './process-meter.ts'
import type { PartTimes } from './simulate-parts.ts'
import { simulateFleets } from './simulate-parts.ts'

/**
 * Compares split videos with unsplit videos, in quality and cost: `node lab/bench/long-video.ts [--short]
 * [--only likeness|cost|fleets] [--kind NAME,…] [--sources FOLDER] [--keep]`. Exits with 1 if a figure misses its goal.
 *
 * Requires Debian's ffmpeg, which makes the sources and compares the results. Engines run in their sandbox and read the sources
 * by ranges from a server on loopback. Larger fleets are simulated with the scheduler's code on a PostgreSQL and the measured
 * times. `--short` takes five minutes on two idle cores.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    kind: { type: 'string' },
    sources: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

/** Issue P, 3 and 4. */
const GOALS = { ssim: 0.99, psnrLoss: 0.3, size: 0.03, syncFrames: 1 }
const COSTS = { cpu: 1.08, wall: 1.25 }

// An hour in parts as long as the fleet makes them.
const HOUR_SECONDS = 3600
const PART_SECONDS = 15
// Joins the video this often, to measure the cost per minute.
const JOINED_TIMES = 10

const PARTS = { part_seconds: 15 }
// So short a video, and so small, is cut only here.
const SHORT_PARTS = { part_seconds: 8, part_pixels: 1 }

const OPERATIONS = [{ type: 'flip', horizontal: true }]
const FILTERS = 'hflip'
const folder = values.sources ?? (await mkdtemp(path.join(tmpdir(), 'mediamill-long-video-')))
await mkdir(folder, { recursive: true })
const place = (name: string) => path.join(folder, name)
const round = (figure: number, digits = 4) => Number(figure.toFixed(digits))
const say = (row: object) => process.stdout.write(`${JSON.stringify(row)}\n`)

const failures: string[] = []
/** Notes a figure that falls short. */
function hold(name: string, isHeld: boolean): void {
  if (!isHeld) failures.push(name)
}

using server = await startFileServer(folder)
using meter = startMeter([server.pid])

const workOf = ({ file, name, format, maxSeconds }: Source): Work => ({
  parameters: videosProcess.body.parse({
    operations: OPERATIONS,
    ...(maxSeconds !== undefined && { max_duration: maxSeconds }),
  }),
  source: { file, url: server.url(name), host: server.host, format, isByRanges: true },
})

/** Compares all kinds, two at a time: nothing is timed here. */
async function compareLikeness(): Promise<void> {
  const left = kindsOf(values.kind?.split(','))
  const compare = async (lane: number) => {
    using worker = await startWorker(place(`scratch-likeness-${lane}`))
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await compareKind(worker, await makeSource(folder, name))
    }
  }
  await Promise.all([compare(0), compare(1)])
}

async function compareKind(worker: BenchWorker, source: Source): Promise<void> {
  const work = workOf(source)
  const [one, joined] = [place(`one-${source.name}.mp4`), place(`parts-${source.name}.mp4`)]
  const made = await inParts([worker], work, { keep: joined, extras: SHORT_PARTS })
  if (made === undefined || source.isWhole === true) {
    const isRight = (source.isWhole === true) === (made === undefined)
    hold(`${source.name}: ${made === undefined ? 'not cut' : 'cut'}`, isRight)
    say({ likeness: source.name, isCut: made !== undefined })
    return
  }
  await inOnePiece(worker, work, { keep: one, extras: SHORT_PARTS })
  const cuts = cutsOf(made.plan)
  const verdict = await judge(source, { one, joined, cuts, filters: FILTERS })
  say({
    likeness: source.name,
    parts: cuts.length + 1,
    ...verdict,
    size: round(verdict.size),
    syncFrames: round(verdict.syncFrames),
  })
  holdVerdict(source, verdict)
}

/** Where a video was cut, in seconds. */
const cutsOf = ({ cuts, time_base: { num, den } }: PartsPlan) => cuts.map((cut) => (cut * num) / den)

function holdVerdict({ name }: Source, verdict: Verdict): void {
  const { ssimAtCuts, psnrLoss, size, isInOrder, syncFrames } = verdict
  hold(`${name}: SSIM at cuts ${ssimAtCuts}`, ssimAtCuts >= GOALS.ssim)
  hold(`${name}: PSNR loss ${psnrLoss} dB`, psnrLoss <= GOALS.psnrLoss)
  hold(`${name}: size ${size}`, Math.abs(size - 1) <= GOALS.size)
  hold(`${name}: times`, isInOrder)
  hold(`${name}: sync ${syncFrames} frames`, syncFrames <= GOALS.syncFrames)
}

/** Time and processor time of some work. */
async function costOf<T>(work: () => Promise<T>): Promise<{ made: T; cpuSeconds: number; wallSeconds: number }> {
  await meter.restart()
  const startedAt = performance.now()
  const made = await work()
  const wallSeconds = (performance.now() - startedAt) / 1000
  return { made, wallSeconds, cpuSeconds: (await meter.cpuMs()) / 1000 }
}

/** Compares two workers of one core each with one worker and the unsplit video. */
async function compareCost(): Promise<void> {
  const source = await makeLarge(folder, values.short ? 60 : 180)
  const work = workOf(source)
  using first = await startWorker(place('scratch-0'), 0)
  using second = await startWorker(place('scratch-1'), 1)
  const workers = [first, second]
  const [one, joined] = [place('large-one.mp4'), place('large-parts.mp4')]
  const whole = await costOf(() => inOnePiece(first, work, { keep: one, extras: PARTS }))
  const parts = await costOf(() => inParts(workers, work, { keep: joined, extras: PARTS, isCopied: true }))
  if (parts.made === undefined) throw new Error('a long video was not cut')
  const cpu = parts.cpuSeconds / whole.cpuSeconds
  const wall = (parts.wallSeconds * workers.length) / whole.wallSeconds
  say({
    cost: source.name,
    workers: workers.length,
    parts: parts.made.partSeconds.length,
    partSeconds: parts.made.partSeconds.map((seconds) => round(seconds, 1)),
    onePiece: { cpuSeconds: round(whole.cpuSeconds, 1), wallSeconds: round(whole.wallSeconds, 1) },
    inParts: { cpuSeconds: round(parts.cpuSeconds, 1), wallSeconds: round(parts.wallSeconds, 1) },
    cpu: round(cpu, 3),
    atMostCpu: COSTS.cpu,
    wall: round(wall, 3),
    atMostWall: COSTS.wall,
  })
  hold(`cpu ${round(cpu, 3)}`, cpu <= COSTS.cpu)
  hold(`wall ${round(wall, 3)}`, wall <= COSTS.wall)
  if (!values.short) {
    const verdict = await judge(source, { one, joined, cuts: cutsOf(parts.made.plan), filters: FILTERS })
    say({ likeness: source.name, ...verdict })
    holdVerdict(source, verdict)
  }
  if (values.only !== 'cost') await simulateHour(first, parts.made)
}

/** Simulates fleets that process an hour in segments of 15 seconds, with the measured times. */
async function simulateHour(worker: BenchWorker, made: InParts): Promise<void> {
  const { plan, planSeconds, partSeconds, joinSeconds } = made
  const joinedAgain = await joinAgain(worker, made, JOINED_TIMES, place('large-again.mp4'))
  const joinSpeed = Math.max(0, joinedAgain - joinSeconds) / ((JOINED_TIMES - 1) * plan.seconds)
  const [sound = 0, ...pictures] = plan.sound === 'apart' ? partSeconds : [0, ...partSeconds]
  const speed = pictures.reduce((sum, seconds) => sum + seconds, 0) / plan.seconds
  const longer = HOUR_SECONDS / plan.seconds
  const ms = (seconds: number) => Math.round(seconds * 1000)
  const times: PartTimes = {
    planMs: ms(planSeconds),
    partsMs: Array.from({ length: HOUR_SECONDS / PART_SECONDS }, () => ms(speed * PART_SECONDS)),
    soundMs: ms(sound * longer),
    joinMs: ms(joinSeconds + joinSpeed * (HOUR_SECONDS - plan.seconds)),
  }
  say({ hour: { ...times, partsMs: times.partsMs[0], parts: times.partsMs.length } })
  for (const { workers, wallMs, speedup, used } of await simulateFleets(
    times,
    values.short ? [100] : [2, 10, 50, 100, 200],
  )) {
    say({ fleet: workers, wallSeconds: round(wallMs / 1000, 1), speedup: round(speedup, 1), used: round(used, 2) })
  }
}

try {
  // A fleet is simulated by the times that the cost is measured by.
  if (values.only !== 'likeness') await compareCost()
  if (values.only === undefined || values.only === 'likeness') await compareLikeness()
  say({ failures })
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  if (values.sources === undefined && !values.keep) await rm(folder, { recursive: true, force: true })
}
