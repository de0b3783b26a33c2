import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Source } from './sources.ts'
import { ffmpeg } from './sources.ts'

/** The comparison of a split video with the unsplit video. */
export type Verdict = {
  frames: number
  /** The lowest SSIM of a frame near a cut, and of any frame, compared with the unsplit video. */
  ssimAtCuts: number
  ssimLeast: number
  /** Decibels that it is further from the source than one piece is; below 0 it is nearer. */
  psnrLoss: number
  /** File size relative to the unsplit video. */
  size: number
  /** Whether frames are in order, with the times of the unsplit video. */
  isInOrder: boolean
  /** The difference between the ends of audio and video, compared with the unsplit video, in frames. */
  syncFrames: number
}

/** Number of compared frames on each side of a cut. */
const BESIDE_CUT = 3

type Packets = { pts: number[]; dts: number[]; end: number }

const run = promisify(execFile)

async function probe(file: string, stream: 'v' | 'a', entries: string): Promise<number[][]> {
  const of = ['-v', 'error', '-select_streams', stream, '-show_entries', entries, '-of', 'csv=p=0', file]
  const { stdout } = await run('ffprobe', of, { maxBuffer: 2 ** 28 })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.split(',').map(Number))
}

async function packetsOf(file: string, stream: 'v' | 'a'): Promise<Packets> {
  const rows = await probe(file, stream, 'packet=pts_time,dts_time')
  const [[start = 0, duration = 0] = []] = await probe(file, stream, 'stream=start_time,duration')
  return {
    pts: rows.map(([pts = Number.NaN]) => pts).toSorted((a, b) => a - b),
    dts: rows.map(([, dts = Number.NaN]) => dts),
    end: start + duration,
  }
}

const isRising = (times: readonly number[]) =>
  times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))

/** Compares both videos with Debian's ffmpeg. `cuts` are in seconds, and `filters` are the operations as ffmpeg filters. */
export async function judge(
  source: Source,
  { one, joined, cuts, filters }: { one: string; joined: string; cuts: readonly number[]; filters: string },
): Promise<Verdict> {
  const [picture, whole] = [await packetsOf(joined, 'v'), await packetsOf(one, 'v')]
  const frame = (whole.end - (whole.pts[0] ?? 0)) / Math.max(1, whole.pts.length)
  const ends = [
    [picture, await packetsOf(joined, 'a')],
    [whole, await packetsOf(one, 'a')],
  ] as const
  const [apart = 0, wanted = 0] = ends.map(([seen, heard]) => (heard.pts.length === 0 ? 0 : heard.end - seen.end))
  const { alike, losses } = await compareFrames(source, { one, joined, filters })
  const places = cuts.map((cut) => {
    const index = whole.pts.findIndex((time) => time >= cut - 0.001)
    if (index < 0) throw new RangeError(`no frame at the cut of ${cut} s`)
    return index
  })
  const atCuts = places.flatMap((index) => alike.slice(Math.max(0, index - BESIDE_CUT), index + BESIDE_CUT))
  const [ofParts = 0, ofOne = 0] = losses
  return {
    frames: alike.length,
    ssimAtCuts: Math.min(...atCuts),
    ssimLeast: Math.min(...alike),
    psnrLoss: Number((ofOne - ofParts).toFixed(3)),
    size: statSync(joined).size / statSync(one).size,
    isInOrder: isRising(picture.pts) && isRising(picture.dts) && picture.pts.join() === whole.pts.join(),
    syncFrames: Math.abs(apart - wanted) / frame,
  }
}

/** How like each frame is in both, and how far each result is from the source, in decibels. */
async function compareFrames(
  source: Source,
  { one, joined, filters }: { one: string; joined: string; filters: string },
): Promise<{ alike: number[]; losses: number[] }> {
  const stats = `${joined}.ssim`
  const even = `format=yuv420p,settb=1/1000,setpts=N,split=2`
  const before = source.shown === undefined ? filters : `${source.shown},${filters}`
  const graph = [
    `[0:v]${even}[a][b]`,
    `[1:v]${even}[c][d]`,
    `[2:v]${before},${even}[e][f]`,
    `[a][c]ssim=stats_file=${stats}:shortest=1[u]`,
    '[b][e]psnr=shortest=1[v]',
    '[d][f]psnr=shortest=1[w]',
  ].join(';')
  const inputs = [joined, one, source.file].flatMap((file) => ['-i', file])
  const outputs = ['u', 'v', 'w'].flatMap((name) => ['-map', `[${name}]`, '-f', 'null', '-'])
  const said = await ffmpeg(...inputs, '-filter_complex', graph, ...outputs)
  const losses = new Map(
    [...said.matchAll(/Parsed_psnr_(\d+) .*average:([\d.]+|inf)/g)].map(([, number, value]) => [
      Number(number),
      value === 'inf' ? 100 : Number(value),
    ]),
  )
  const alike = [...readFileSync(stats, 'utf8').matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value))
  return { alike, losses: [...losses].toSorted(([a], [b]) => a - b).map(([, value]) => value) }
}
