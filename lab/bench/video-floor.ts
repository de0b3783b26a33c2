import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { videosProcess } from '@mediamill/contract/endpoints/videos-process'
import { videosRead } from '@mediamill/contract/endpoints/videos-read'
import { videosScreenshot } from '@mediamill/contract/endpoints/videos-screenshot'
import type { AdditionalInput, EngineDone, EngineFile } from '@mediamill/engines/protocol/messages'
import sharp from 'sharp'
import { startFileServer } from './file-server.ts'
import { startMeter } from './process-meter.ts'
import { median, toolMs } from './tool.ts'
import { LIMITS, openSource, openVideoEngines } from './video-engines.ts'

/**
 * Compares the CPU time of the video engines with Debian's ffmpeg: `node lab/bench/video-floor.ts [--rounds 5] [--clip
 * 30s-1080p.mp4] [--minutes 15] [--only process|screenshot|read|memory] [--sources FOLDER] [--reads 20]`. Requires
 * ffmpeg and 7 GB of temporary space. `--sources` keeps the source videos. Engine and ffmpeg run in turns, and figures
 * are medians of user and system time. Engines run in their sandbox, as a worker starts them. The engine's figure
 * includes its process start and the time in which the worker fetches the source. Engines that read metadata are
 * already running, as in a service.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    clip: { type: 'string' },
    minutes: { type: 'string', default: '15' },
    only: { type: 'string' },
    sources: { type: 'string' },
    reads: { type: 'string', default: '20' },
  },
})
const ROUNDS = Number(values.rounds)
// Each figure is measured over this many reads, because Linux counts CPU time in units of 10 ms.
const READS = Number(values.reads)

const folder = values.sources ?? (await mkdtemp(path.join(tmpdir(), 'mediamill-bench-')))
const pathOf = (name: string) => path.join(folder, name)

function ffmpeg(...args: string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

async function makeSources(): Promise<void> {
  if (existsSync(pathOf('small.mp4'))) return
  await sharp({ create: { width: 320, height: 120, channels: 4, background: { r: 32, g: 96, b: 192, alpha: 0.6 } } })
    .png()
    .toFile(pathOf('logo.png'))
  const noisy = ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30:d=60,noise=alls=12:allf=t,format=yuv420p']
  const tone = ['-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=60']
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '19M', '-g', '60', '-c:a', 'aac', '-shortest']
  ffmpeg(...noisy, ...tone, ...coded, pathOf('minute.mp4'))
  if (values.clip === undefined) ffmpeg('-i', pathOf('minute.mp4'), '-t', '30', '-c', 'copy', pathOf('clip.mp4'))
  else await copyFile(values.clip, pathOf('clip.mp4'))
  const loops = String(Number(values.minutes) - 1)
  const [start, copy] = [
    ['-movflags', '+faststart'],
    ['-c', 'copy'],
  ]
  ffmpeg('-stream_loop', loops, '-i', pathOf('minute.mp4'), ...copy, ...start, pathOf('large.mp4'))
  ffmpeg('-i', pathOf('large.mp4'), ...copy, pathOf('large-index-at-end.mp4'))
  ffmpeg('-i', pathOf('large.mp4'), ...copy, pathOf('large.mkv'))
  ffmpeg('-i', pathOf('minute.mp4'), '-t', '9', ...copy, ...start, pathOf('small.mp4'))
}

const round = (figure: number, digits = 2) => Number(figure.toFixed(digits))
const say = (row: object) => process.stdout.write(`${JSON.stringify(row)}\n`)
const isWanted = (part: string) => values.only === undefined || values.only === part

await mkdir(folder, { recursive: true })
await makeSources()
using server = await startFileServer(folder)
using meter = startMeter([server.pid])
const engines = await openVideoEngines(pathOf('scratch'), 2)
const { scratch, isolation } = engines

type Job = { task: string; parameters: Record<string, unknown>; input: string; isByRanges?: boolean }

/** Runs a job as a worker does. With `isByRanges`, fetches the source by ranges; otherwise, reads it from disk. */
async function ours({ task, parameters, input, isByRanges = false }: Job, keep?: string): Promise<EngineDone> {
  await using job = scratch.jobFolder()
  const file = path.join(job.path, 'source')
  const { size } = await stat(pathOf(input))
  const format = input.endsWith('mkv') ? 'MKV' : 'MP4'
  const assets: AdditionalInput[] = []
  if (task === 'videos/process') {
    await copyFile(pathOf('logo.png'), path.join(job.path, 'logo'))
    assets.push({ url: 'https://example.com/logo.png', path: path.join(job.path, 'logo'), format: 'PNG', size: 1 })
  }
  await using source = isByRanges
    ? await openSource({ url: server.url(input), host: server.host }, file, {
        firstBytes: videosRead.firstBytes ?? 0,
      })
    : undefined
  if (source === undefined) await link(pathOf(input), file)
  const whole: EngineFile = { path: file, format, size }
  const done = await engines[task === 'videos/process' ? 'video' : 'video_look'].run(
    {
      task,
      parameters,
      assets,
      scratch: job.path,
      limits: LIMITS,
      input: source === undefined ? whole : { ...whole, presentBytes: source.presentBytes },
    },
    {
      signal: AbortSignal.timeout(3_600_000),
      deadlineMs: 3_600_000,
      async onAsk(asked) {
        if (asked.type === 'read') await source?.fetch(asked.offset, asked.length)
      },
    },
  )
  if (keep !== undefined) await copyFile(done.files[0]?.path ?? '', keep)
  return done
}

/** Measures the CPU time of a job in milliseconds: of the engine, and of this process, which acts as the worker. */
async function costOf(work: () => Promise<unknown>): Promise<{ engine: number; worker: number }> {
  await meter.restart()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { engine: await meter.cpuMs(), worker: (user + system) / 1000 }
}

const MARK = { type: 'watermark', image_url: 'https://example.com/logo.png', x: 20, y: 20 }
const parametersFor = {
  process: videosProcess.body.parse({ operations: [MARK] }),
  start: videosProcess.body.parse({ operations: [{ type: 'flip', vertical: true }], max_duration: 5 }),
  screenshot: videosScreenshot.body.parse({ seconds: 50 }),
  read: videosRead.body.parse({}),
}

async function compareProcessing(): Promise<void> {
  const job: Job = { task: 'videos/process', parameters: parametersFor.process, input: 'clip.mp4' }
  const overlay = ['-filter_complex', '[0:v][1:v]overlay=20:20,format=yuv420p[v]', '-map', '[v]', '-map', '0:a?']
  const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-c:a', 'copy', '-movflags', '+faststart']
  const inputs = ['-i', pathOf('clip.mp4'), '-i', pathOf('logo.png')]
  const rounds: { ours: number; theirs: number }[] = []
  for (let index = 0; index < ROUNDS; index += 1) {
    // Count only the engine, because this process also copies files.
    const { engine } = await costOf(() => ours(job, pathOf('ours.mp4')))
    const theirs = toolMs('ffmpeg', '-y', ...inputs, ...overlay, ...coded, pathOf('theirs.mp4'))
    rounds.push({ ours: engine, theirs })
    say({ round: index + 1, engineMs: engine, ffmpegMs: round(theirs, 0), ratio: round(engine / theirs, 3) })
  }
  say({
    process: 'watermark, 1080p',
    ratio: round(median(rounds.map(({ ours, theirs }) => ours / theirs)), 3),
    atMost: 1.03,
    engineMs: round(median(rounds.map(({ ours }) => ours)), 0),
    ffmpegMs: round(median(rounds.map(({ theirs }) => theirs)), 0),
    bytes: round((await stat(pathOf('ours.mp4'))).size / (await stat(pathOf('theirs.mp4'))).size, 4),
  })
}

async function compareReading(name: 'screenshot' | 'read', input: string, theirs: () => number): Promise<void> {
  const job: Job = { task: `videos/${name}`, parameters: parametersFor[name], input, isByRanges: true }
  const atMost = { screenshot: { ratio: 1.3, share: 0.01 }, read: { ratio: 1.15, bytes: 10 * 1024 ** 2 } }[name]
  const { size } = await stat(pathOf(input))
  await ours(job)
  await server.sentBytes()
  // Engines that read headers do not exit between jobs, so one measurement before and one after are enough.
  meter.isWatching = false
  const rounds: { engine: number; worker: number; theirs: number }[] = []
  for (let index = 0; index < ROUNDS; index += 1) {
    const cost = await costOf(async () => {
      for (let times = 0; times < READS; times += 1) await ours(job)
    })
    const tools = Array.from({ length: READS }, theirs)
    const mean = tools.reduce((sum, each) => sum + each, 0) / READS
    rounds.push({ engine: cost.engine / READS, worker: cost.worker / READS, theirs: mean })
  }
  meter.isWatching = true
  const bytes = (await server.sentBytes()) / (ROUNDS * READS)
  say({
    [name]: input,
    ratio: round(median(rounds.map((each) => each.engine / each.theirs))),
    withWorker: round(median(rounds.map((each) => (each.engine + each.worker) / each.theirs))),
    atMost: atMost.ratio,
    engineMs: round(median(rounds.map(({ engine }) => engine)), 1),
    workerMs: round(median(rounds.map(({ worker }) => worker)), 1),
    toolMs: round(median(rounds.map((each) => each.theirs)), 1),
    fetchedMb: round(bytes / 1e6),
    share: round(bytes / size, 5),
    sourceMb: Math.round(size / 1e6),
    atMostBytes: 'bytes' in atMost ? atMost.bytes : Math.round(size * atMost.share),
  })
}

/**
 * Prints the peak memory of the engine and of this process for a small and a large source. Peak memory must not depend
 * on the size of the source.
 */
async function compareMemory(): Promise<void> {
  for (const [task, name, inputs] of [
    ['videos/screenshot', 'screenshot', ['small.mp4', 'large.mp4']],
    ['videos/process', 'start', ['small.mp4', 'large.mp4']],
  ] as const) {
    for (const input of inputs) {
      const parameters = name === 'screenshot' ? { ...parametersFor.screenshot, seconds: 5 } : parametersFor[name]
      await meter.restart()
      await ours({ task, parameters, input, isByRanges: name === 'screenshot' })
      const sourceMb = Math.round((await stat(pathOf(input))).size / 1e6)
      const workerPeakMb = Math.round(process.resourceUsage().maxRSS / 1024)
      say({ memory: name, sourceMb, enginePeakMb: await meter.peakMb(), workerPeakMb })
    }
  }
}

try {
  say({ isolation: isolation.tier, rounds: ROUNDS })
  if (isWanted('memory')) await compareMemory()
  if (isWanted('process')) await compareProcessing()
  for (const input of ['large.mp4', 'large-index-at-end.mp4', 'large.mkv']) {
    const file = pathOf(input)
    const shoot = () =>
      toolMs('ffmpeg', '-y', '-ss', '50', '-i', file, '-frames:v', '1', '-q:v', '3', pathOf('still.jpg'))
    if (isWanted('screenshot')) await compareReading('screenshot', input, shoot)
    if (isWanted('read'))
      await compareReading('read', input, () => toolMs('ffprobe', '-show_format', '-show_streams', file))
  }
} finally {
  await engines[Symbol.asyncDispose]()
  if (values.sources === undefined) await rm(folder, { recursive: true })
}
