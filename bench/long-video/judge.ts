import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { Source } from './sources.ts'
import { ffmpeg } from './sources.ts'

/** What of a video in parts is compared with one in one piece. */
export type Verdict = {
  frames: number
  /** The least likeness of a frame beside a cut, and of any frame, to the same frame in one piece. */
  ssimAtCuts: number
  ssimLeast: number
  /** Decibels that it is further from the source than one piece is; below 0 it is nearer. */
  psnrLoss: number
  /** Bytes to those of one piece. */
  size: number
  /** Whether frames are shown and decoded in order, each at the time that it has in one piece. */
  isInOrder: boolean
  /** How far sound and picture end apart, beside one piece, in frames. */
  syncFrames: number
}

/** Frames on each side of a cut that are looked at. */
const BESIDE_CUT = 3

type Packets = { pts: number[]; dts: number[]; end: number }

const probe = (file: string, stream: 'v' | 'a', entries: string): string[][] =>
  spawnSync('ffprobe', ['-v', 'error', '-select_streams', stream, '-show_entries', entries, '-of', 'csv=p=0', file], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(','))

function packetsOf(file: string, stream: 'v' | 'a'): Packets {
  const rows = probe(file, stream, 'packet=pts_time,dts_time').map((row) => row.map(Number))
  const [[start = 0, duration = 0] = []] = probe(file, stream, 'stream=start_time,duration').map((row) =>
    row.map(Number),
  )
  return {
    pts: rows.map(([pts = Number.NaN]) => pts).toSorted((a, b) => a - b),
    dts: rows.map(([, dts = Number.NaN]) => dts),
    end: start + duration,
  }
}

const isRising = (times: readonly number[]) =>
  times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))

/** Compares both by Debian's ffmpeg; `cuts` are in seconds, and `filters` what the operations do in its words. */
export function judge(
  source: Source,
  { one, joined, cuts, filters }: { one: string; joined: string; cuts: readonly number[]; filters: string },
): Verdict {
  const [picture, whole] = [packetsOf(joined, 'v'), packetsOf(one, 'v')]
  const frame = (whole.end - (whole.pts[0] ?? 0)) / Math.max(1, whole.pts.length)
  const ends = [
    [picture, packetsOf(joined, 'a')],
    [whole, packetsOf(one, 'a')],
  ] as const
  const [apart = 0, wanted = 0] = ends.map(([seen, heard]) => (heard.pts.length === 0 ? 0 : heard.end - seen.end))
  const { ssim, losses } = compareFrames(source, { one, joined, filters })
  const atCuts = cuts.flatMap((cut) => {
    const index = whole.pts.findIndex((time) => time >= cut - 0.001)
    if (index < 0) throw new RangeError(`no frame at the cut of ${cut} s`)
    return ssim.slice(Math.max(0, index - BESIDE_CUT), index + BESIDE_CUT)
  })
  const [ofParts = 0, ofOne = 0] = losses
  return {
    frames: ssim.length,
    ssimAtCuts: Math.min(...atCuts),
    ssimLeast: Math.min(...ssim),
    psnrLoss: Number((ofOne - ofParts).toFixed(3)),
    size: statSync(joined).size / statSync(one).size,
    isInOrder: isRising(picture.pts) && isRising(picture.dts) && picture.pts.join() === whole.pts.join(),
    syncFrames: Math.abs(apart - wanted) / frame,
  }
}

/** Frame by frame: how like the two are, and how far each is from the source, in decibels. */
function compareFrames(source: Source, { one, joined, filters }: { one: string; joined: string; filters: string }) {
  const stats = `${joined}.ssim`
  const even = 'format=yuv420p,settb=1/1000,setpts=N,split'
  const before = source.shown === undefined ? filters : `${source.shown},${filters}`
  const graph = [
    `[0:v]${even}[a][b]`,
    `[1:v]${even}[c][d]`,
    `[2:v]${before},${even}[e][f]`,
    `[a][c]ssim=stats_file=${stats}:shortest=1[x]`,
    '[b][e]psnr=shortest=1[y]',
    '[d][f]psnr=shortest=1[z]',
  ].join(';')
  const inputs = [joined, one, source.file].flatMap((file) => ['-i', file])
  const outputs = ['x', 'y', 'z'].flatMap((name) => ['-map', `[${name}]`, '-f', 'null', '-'])
  const said = ffmpeg(...inputs, '-filter_complex', graph, ...outputs)
  const losses = new Map(
    [...said.matchAll(/Parsed_psnr_(\d+) .*average:([\d.]+|inf)/g)].map(([, number, value]) => [
      Number(number),
      value === 'inf' ? 100 : Number(value),
    ]),
  )
  const ssim = [...readFileSync(stats, 'utf8').matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value))
  return { ssim, losses: [...losses].toSorted(([a], [b]) => a - b).map(([, value]) => value) }
}
