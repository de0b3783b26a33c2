import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { videosProcess } from '../src/endpoints/videos-process.ts'
import { startFileServer } from './file-server.ts'
import type { BenchWorker, Work } from './long-video/fleet.ts'
import { inOnePiece, inParts, startWorker } from './long-video/fleet.ts'
import type { Verdict } from './long-video/judge.ts'
import { judge } from './long-video/judge.ts'
import type { Source } from './long-video/sources.ts'
import { makeLarge, makeSources } from './long-video/sources.ts'
import { startMeter } from './process-meter.ts'

/**
 * What a video in parts is beside the same in one piece, and what it costs: `node bench/long-video.ts [--short]
 * [--only likeness|cost] [--kind NAME] [--sources FOLDER] [--keep]`. Exits with 1 when a figure falls short.
 *
 * Needs Debian's ffmpeg, which makes the sources and judges the results; the engines run behind their walls and read the
 * sources by ranges, from a server on loopback. `--short` takes five minutes on two free cores.
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
const GOALS = { ssimAtCuts: 0.99, psnrLoss: 0.3, size: 0.03, syncFrames: 1, cpu: 1.08, wall: 1.25 }

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

async function compareLikeness(worker: BenchWorker): Promise<void> {
  for (const source of makeSources(folder)) {
    if (values.kind !== undefined && values.kind !== source.name) continue
    const work = workOf(source)
    const [one, joined] = [place(`one-${source.name}.mp4`), place(`parts-${source.name}.mp4`)]
    // So short a video, and so small, is cut only here.
    const made = await inParts([worker], work, { keep: joined, extras: { part_seconds: 3, part_pixels: 1 } })
    if (made === undefined || source.isWhole === true) {
      hold(
        `${source.name}: ${made === undefined ? 'not cut' : 'cut'}`,
        (source.isWhole === true) === (made === undefined),
      )
      say({ likeness: source.name, isCut: made !== undefined })
      continue
    }
    await inOnePiece(worker, work, one)
    const { num, den } = made.plan.time_base
    const cuts = made.plan.cuts.map((cut) => (cut * num) / den)
    const verdict = judge(source, { one, joined, cuts, filters: FILTERS })
    say({
      likeness: source.name,
      parts: cuts.length + 1,
      ...verdict,
      size: round(verdict.size),
      syncFrames: round(verdict.syncFrames),
    })
    holdVerdict(source.name, verdict)
  }
}

function holdVerdict(name: string, { ssimAtCuts, psnrLoss, size, isInOrder, syncFrames }: Verdict): void {
  hold(`${name}: SSIM at cuts ${ssimAtCuts}`, ssimAtCuts >= GOALS.ssimAtCuts)
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

/** Two workers of one core each, and one of them for the video in one piece. */
async function compareCost(): Promise<void> {
  const source = makeLarge(folder, values.short ? 60 : 180)
  const work = workOf(source)
  using first = await startWorker(place('scratch-0'), 0)
  using second = await startWorker(place('scratch-1'), 1)
  const workers = [first, second]
  const [one, joined] = [place('large-one.mp4'), place('large-parts.mp4')]
  const whole = await costOf(() => inOnePiece(first, work, one))
  const parts = await costOf(() => inParts(workers, work, { keep: joined, extras: { part_seconds: 15 } }))
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
    atMostCpu: GOALS.cpu,
    wall: round(wall, 3),
    atMostWall: GOALS.wall,
  })
  hold(`cpu ${round(cpu, 3)}`, cpu <= GOALS.cpu)
  hold(`wall ${round(wall, 3)}`, wall <= GOALS.wall)
  const { num, den } = parts.made.plan.time_base
  const cuts = parts.made.plan.cuts.map((cut) => (cut * num) / den)
  if (values.short) return
  const verdict = judge(source, { one, joined, cuts, filters: FILTERS })
  say({ likeness: source.name, ...verdict })
  holdVerdict(source.name, verdict)
}

try {
  if (values.only !== 'cost') {
    using worker = await startWorker(place('scratch'))
    await compareLikeness(worker)
  }
  if (values.only !== 'likeness') await compareCost()
  say({ failures })
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  if (values.sources === undefined && !values.keep) await rm(folder, { recursive: true, force: true })
}
