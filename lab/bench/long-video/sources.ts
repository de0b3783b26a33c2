import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'

/** A source that is processed both ways, and the filters for its comparison. */
export type Source = {
  name: string
  file: string
  format: VideoSourceFormat
  /** Filters of ffmpeg that show its frames as they are before the operations. */
  shown?: string
  /** Whether it must be processed unsplit. */
  isWhole?: boolean
  maxSeconds?: number
}

const run = promisify(execFile)

/** Runs ffmpeg, and returns its output. Throws with the output if it fails. */
export async function ffmpeg(...args: string[]): Promise<string> {
  const { stderr } = await run('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], { maxBuffer: 2 ** 28 })
  return stderr
}

const SECONDS = 24
const GROUPS = ['-g', '50']
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-pix_fmt', 'yuv420p', ...GROUPS]
const HEVC = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=none:keyint=50:bframes=4:open-gop=1',
]
const MPEG2 = [
  '-vf',
  'scale=720:576,interlace',
  '-c:v',
  'mpeg2video',
  '-flags',
  '+ilme+ildct',
  '-b:v',
  '6M',
  '-g',
  '12',
]
/** Whole frames of square pixels, as the service makes them of a broadcast. */
const FIELDS = 'bwdif=mode=send_frame,scale=1024:576'
const AAC = ['-c:a', 'aac']
const UNEVEN = ['-vf', "select='not(eq(mod(n,7),3))*not(between(mod(n,60),20,27))'", '-vsync', 'vfr']
/** A still video of many frames: it consists mainly of keyframes. */
const STILL = ['-vf', 'loop=loop=1199:size=1:start=0,trim=end_frame=1200,setpts=N/(50*TB)', '-r', '50']
/** More than a telephone has at night: two codings of it are alike nowhere. */
const GRAIN = ['-vf', 'noise=alls=8:allf=t+u']
const OPEN = ['-x264-params', 'open-gop=1:keyint=50:bframes=5:b-adapt=2']

type Made = Omit<Source, 'file' | 'name'> & { args?: string[]; make?: (folder: string) => Promise<void> | void }

/** Every kind of source: additional ffmpeg arguments, or a function that makes it. */
const KINDS: Record<string, Made> = {
  'b-frames.mp4': { format: 'MP4', args: [...H264, '-bf', '3', ...AAC] },
  'grain.mp4': { format: 'MP4', args: [...GRAIN, ...H264, ...AAC] },
  'still.mp4': { format: 'MP4', args: [...STILL, ...H264, ...AAC] },
  'open-groups.mp4': { format: 'MP4', args: [...H264, ...OPEN, '-c:a', 'libmp3lame'] },
  'uneven.mp4': { format: 'MP4', args: [...UNEVEN, ...H264, ...AAC] },
  'hevc.mp4': { format: 'MP4', args: [...HEVC, '-pix_fmt', 'yuv420p', ...AAC] },
  'ten-bits.mkv': { format: 'MKV', args: [...HEVC, '-pix_fmt', 'yuv420p10le', '-c:a', 'libopus'] },
  'no-sound.mov': { format: 'MOV', args: [...H264, '-an'] },
  'vp9.webm': {
    format: 'WEBM',
    args: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '2M', ...GROUPS, '-c:a', 'libopus'],
  },
  'xvid.avi': { format: 'AVI', args: ['-c:v', 'mpeg4', '-q:v', '3', ...GROUPS, '-c:a', 'libmp3lame'] },
  'no-index.avi': { format: 'AVI', isWhole: true, make: withoutIndex },
  'flash.flv': { format: 'FLV', args: [...H264, ...AAC] },
  'broadcast.ts': { format: 'MPEGTS', args: [...MPEG2, '-c:a', 'mp2'], shown: FIELDS },
  'breaks.ts': { format: 'MPEGTS', make: withBreaks },
  'disc.mpg': { format: 'MPEG', args: [...MPEG2, '-c:a', 'ac3', '-f', 'vob'], shown: FIELDS },
  'shorter.mp4': { format: 'MP4', args: [...H264, ...AAC], maxSeconds: 20 },
}

/** A video with motion everywhere, film grain, and a tone. */
const pictured = (size: string, rate: number, seconds: number) => {
  const picture = `testsrc2=s=${size}:r=${rate}:d=${seconds},noise=alls=2,gblur=0.6,format=yuv420p`
  return ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`]
}

export const kindsOf = (kinds?: readonly string[]): string[] =>
  Object.keys(KINDS).filter((name) => kinds === undefined || kinds.includes(name))

const making = new Map<string, Promise<Source>>()

/** Makes the source of a kind, unless its file exists. */
export function makeSource(folder: string, name: string): Promise<Source> {
  const made = making.get(name) ?? make(folder, name)
  making.set(name, made)
  return made
}

async function make(folder: string, name: string): Promise<Source> {
  const { args, make: makeIt, ...source } = KINDS[name] ?? { format: 'MP4' }
  const file = path.join(folder, name)
  if (!existsSync(file)) {
    if (args === undefined) await makeIt?.(folder)
    else await ffmpeg(...pictured('640x360', 25, SECONDS), '-map', '0:v', '-map', '1:a', ...args, file)
  }
  return { ...source, name, file }
}

/** Makes a high-definition video to measure the cost of segments: ten repeated seconds of video with a tone. */
export async function makeLarge(folder: string, seconds: number): Promise<Source> {
  const name = `large-${seconds}.mp4`
  const file = path.join(folder, name)
  if (existsSync(file)) return { name, file, format: 'MP4' }
  const some = path.join(folder, 'large-10.mp4')
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '16', '-g', '60', '-an']
  await ffmpeg(...pictured('1920x1080', 30, 10), ...coded, some)
  const tone = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`]
  const looped = ['-stream_loop', String(Math.ceil(seconds / 10) - 1), '-i', some]
  await ffmpeg(...looped, ...tone, '-map', '0:v', '-map', '1:a', '-c:v', 'copy', ...AAC, '-t', String(seconds), file)
  return { name, file, format: 'MP4' }
}

async function withoutIndex(folder: string): Promise<void> {
  await makeSource(folder, 'xvid.avi')
  const bytes = readFileSync(path.join(folder, 'xvid.avi'))
  writeFileSync(path.join(folder, 'no-index.avi'), bytes.subarray(0, bytes.lastIndexOf('idx1')))
}

/** Two broadcasts, cut together: times jump by an hour in the middle. */
async function withBreaks(folder: string): Promise<void> {
  const halves: Buffer[] = []
  for (const offset of [0, 3600]) {
    const half = path.join(folder, `half-${offset}.ts`)
    const shifted = ['-output_ts_offset', String(offset), '-muxdelay', '0']
    await ffmpeg(...pictured('640x360', 25, SECONDS / 2), ...H264, ...AAC, ...shifted, half)
    halves.push(readFileSync(half))
  }
  writeFileSync(path.join(folder, 'breaks.ts'), Buffer.concat(halves))
}
