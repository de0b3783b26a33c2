import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Source } from './sources.ts'
import { ffmpeg } from './sources.ts'

/** What of a video in parts is compared with one in one piece. */
export type Verdict = {
  frames: number
  /** The least likeness of a frame beside a cut, and of any frame, to the same frame in one piece. */
  ssimAtCuts: number
  ssimLeast: number
  /** What is missing at most from the likeness that a frame beside a cut has to have (`wantedOf`); below 0 it has more. */
  missing: number
  /** The most that the frames around a cut are less like the source than in one piece; below 0 they are more like it. */
  sourceLoss: number
  /** Decibels that it is further from the source than one piece is; below 0 it is nearer. */
  psnrLoss: number
  /** Bytes to those of one piece. */
  size: number
  /** Whether frames are shown and decoded in order, each at the time that it has in one piece. */
  isInOrder: boolean
  /** How far sound and picture end apart, beside one piece, in frames. */
  syncFrames: number
}

/** Frames on each side of a cut that are looked at, each by itself. */
const BESIDE_CUT = 3

/** So many have all kinds of frames in them, which differ in how near to the source they are. */
const AROUND_CUT = 8

/**
 * The likeness that two codings of a frame have to have. It is 0.99, or less where grain is coded: no two codings of a
 * frame are nearer to one another than both together are to the source (decision 87).
 */
const wantedOf = ({ joined, one }: Alike) => Math.min(0.99, joined + one - 1)

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

/** Compares both by Debian's ffmpeg; `cuts` are in seconds, and `filters` what the operations do in its words. */
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
  const near = (index: number, frames: number) => alike.slice(Math.max(0, index - frames), index + frames)
  const atCuts = places.flatMap((index) => near(index, BESIDE_CUT))
  const sourceLosses = places.map((index) => meanOf(near(index, AROUND_CUT).map(({ one, joined }) => one - joined)))
  const [ofParts = 0, ofOne = 0] = losses
  return {
    frames: alike.length,
    ssimAtCuts: Math.min(...atCuts.map(({ both }) => both)),
    ssimLeast: Math.min(...alike.map(({ both }) => both)),
    missing: rounded(Math.max(...atCuts.map((frame) => wantedOf(frame) - frame.both))),
    sourceLoss: rounded(Math.max(...sourceLosses)),
    psnrLoss: Number((ofOne - ofParts).toFixed(3)),
    size: statSync(joined).size / statSync(one).size,
    isInOrder: isRising(picture.pts) && isRising(picture.dts) && picture.pts.join() === whole.pts.join(),
    syncFrames: Math.abs(apart - wanted) / frame,
  }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

const rounded = (value: number) => Number(value.toFixed(5))

/** How like frames are: in parts and in one piece to one another, and each to the source. */
type Alike = { both: number; joined: number; one: number }

/** Frame by frame: how like the three are, and how far each result is from the source, in decibels. */
async function compareFrames(
  source: Source,
  { one, joined, filters }: { one: string; joined: string; filters: string },
): Promise<{ alike: Alike[]; losses: number[] }> {
  const stats = (of: keyof Alike) => `${joined}.${of}.ssim`
  const even = (count: number) => `format=yuv420p,settb=1/1000,setpts=N,split=${count}`
  const before = source.shown === undefined ? filters : `${source.shown},${filters}`
  const graph = [
    `[0:v]${even(3)}[a][b][c]`,
    `[1:v]${even(3)}[d][e][f]`,
    `[2:v]${before},${even(4)}[g][h][i][j]`,
    `[a][d]ssim=stats_file=${stats('both')}:shortest=1[u]`,
    `[b][g]ssim=stats_file=${stats('joined')}:shortest=1[v]`,
    `[e][h]ssim=stats_file=${stats('one')}:shortest=1[w]`,
    '[c][i]psnr=shortest=1[x]',
    '[f][j]psnr=shortest=1[y]',
  ].join(';')
  const inputs = [joined, one, source.file].flatMap((file) => ['-i', file])
  const outputs = ['u', 'v', 'w', 'x', 'y'].flatMap((name) => ['-map', `[${name}]`, '-f', 'null', '-'])
  const said = await ffmpeg(...inputs, '-filter_complex', graph, ...outputs)
  const losses = new Map(
    [...said.matchAll(/Parsed_psnr_(\d+) .*average:([\d.]+|inf)/g)].map(([, number, value]) => [
      Number(number),
      value === 'inf' ? 100 : Number(value),
    ]),
  )
  const [both = [], ofJoined = [], ofOne = []] = (['both', 'joined', 'one'] as const).map((of) =>
    [...readFileSync(stats(of), 'utf8').matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value)),
  )
  const alike = both.map((value, index) => ({ both: value, joined: ofJoined[index] ?? 0, one: ofOne[index] ?? 0 }))
  return { alike, losses: [...losses].toSorted(([a], [b]) => a - b).map(([, value]) => value) }
}
