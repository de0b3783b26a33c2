import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { videosProcess } from '@mediamill/contract/endpoints/videos-process'
import { startFileServer } from './file-server.ts'
import type { Work } from './long-video/fleet.ts'
import { inOnePiece, inSegments, startWorker } from './long-video/fleet.ts'
import { startMeter, sumOf } from './process-meter.ts'

/**
 * Compares a video split on two workers, with one core each, and the same video unsplit on one worker:
 * `node lab/bench/long-video.ts [--seconds 180]`. Exits with 1 if a figure misses its goal. Requires Debian's ffmpeg.
 */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '180' } } })
const seconds = Number(values.seconds)

const GOALS = { cpu: 1.08, elapsed: 1.25 }
const SEGMENTS = { part_seconds: 15 }

const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-long-video-'))
const pathOf = (name: string) => path.join(folder, name)
const round = (figure: number, digits = 1) => Number(figure.toFixed(digits))
using server = await startFileServer(folder)
// A video's processes end during the measurement, so read often.
using meter = startMeter({ isOurs: (command) => !command.includes('file-server.ts'), everyMs: 50 })

async function makeSource(): Promise<string> {
  const ffmpeg = async (...args: string[]) =>
    await promisify(execFile)('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], { maxBuffer: 2 ** 28 })
  const lavfiSource = 'testsrc2=s=1920x1080:r=30:d=10,noise=alls=2,gblur=0.6,format=yuv420p'
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '16', '-g', '60', '-an']
  await ffmpeg('-f', 'lavfi', '-i', lavfiSource, ...coded, pathOf('ten.mp4'))
  const looped = ['-stream_loop', String(Math.ceil(seconds / 10) - 1), '-i', pathOf('ten.mp4')]
  const tone = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`]
  const joined = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'aac', '-t', String(seconds)]
  await ffmpeg(...looped, ...tone, ...joined, pathOf('large.mp4'))
  return pathOf('large.mp4')
}

async function costOf<T>(work: () => Promise<T>): Promise<{ made: T; cpuSeconds: number; elapsedSeconds: number }> {
  await meter.restart()
  const startedAt = performance.now()
  const made = await work()
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  return { made, elapsedSeconds: round(elapsedSeconds), cpuSeconds: round(sumOf(await meter.cpuMs()) / 1000) }
}

try {
  const file = await makeSource()
  const work: Work = {
    parameters: videosProcess.body.parse({ operations: [{ type: 'flip', horizontal: true }] }),
    source: { file, url: server.url('large.mp4'), host: server.host, format: 'MP4', isByRanges: true },
  }
  using first = await startWorker(pathOf('scratch-0'), 0)
  using second = await startWorker(pathOf('scratch-1'), 1)
  const workers = [first, second]
  const whole = await costOf(() => inOnePiece(first, work, { keep: pathOf('unsplit.mp4'), extras: SEGMENTS }))
  const split = await costOf(() =>
    inSegments(workers, work, { keep: pathOf('split.mp4'), extras: SEGMENTS, isCopied: true }),
  )
  if (split.made === undefined) throw new Error('the video was not split')
  const cpu = round(split.cpuSeconds / whole.cpuSeconds, 3)
  const elapsed = round((split.elapsedSeconds * workers.length) / whole.elapsedSeconds, 3)
  const shown = ({ cpuSeconds, elapsedSeconds }: { cpuSeconds: number; elapsedSeconds: number }) => ({
    cpuSeconds,
    wallSeconds: elapsedSeconds,
  })
  const segments = split.made.segmentSeconds.map((each) => round(each))
  const row = { seconds, unsplit: shown(whole), split: shown(split), segments, cpu, wall: elapsed, goals: GOALS }
  process.stdout.write(`${JSON.stringify(row)}\n`)
  process.exitCode = cpu <= GOALS.cpu && elapsed <= GOALS.elapsed ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
