import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { VideoSourceFormat } from '../../src/domain/media.ts'

/** A source that is made both ways, and how its frames are shown for who judges them. */
export type Source = {
  name: string
  file: string
  format: VideoSourceFormat
  /** Filters of ffmpeg that show its frames as they are before the operations. */
  shown?: string
  /** Whether it has to go in one piece. */
  isWhole?: boolean
  maxSeconds?: number
}

/** Runs ffmpeg; throws with what it said. */
export function ffmpeg(...args: string[]): string {
  const { status, stderr } = spawnSync('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(stderr.slice(-2000))
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
/** A picture that stands still, with many frames: little but its keyframes. */
const STILL = ['-vf', 'loop=loop=1199:size=1:start=0,trim=end_frame=1200,setpts=N/(50*TB)', '-r', '50']
/** More than a telephone has at night: two codings of it are alike nowhere. */
const GRAIN = ['-vf', 'noise=alls=8:allf=t+u']
const OPEN = ['-x264-params', 'open-gop=1:keyint=50:bframes=5:b-adapt=2']

type Made = Omit<Source, 'file' | 'name'> & { args?: string[]; make?: (folder: string) => void }

/** Every kind of source of the issue: what ffmpeg is told beside the picture and the tone, or how else it is made. */
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

/** A picture that moves all over, with the texture of film, and a tone. */
const pictured = (size: string, rate: number, seconds: number) => {
  const picture = `testsrc2=s=${size}:r=${rate}:d=${seconds},noise=alls=2,gblur=0.6,format=yuv420p`
  return ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`]
}

/** Makes the sources of every kind, or of some; those that are there already stay. */
export function makeSources(folder: string, kinds?: readonly string[]): Source[] {
  const wanted = Object.entries(KINDS).filter(([name]) => kinds === undefined || kinds.includes(name))
  return wanted.map(([name, { args, make, ...source }]) => {
    const file = path.join(folder, name)
    if (!existsSync(file)) {
      if (args !== undefined) ffmpeg(...pictured('640x360', 25, SECONDS), '-map', '0:v', '-map', '1:a', ...args, file)
      else make?.(folder)
    }
    return { ...source, name, file }
  })
}

/** Makes a video of high definition for what parts cost. */
export function makeLarge(folder: string, seconds: number): Source {
  const name = `large-${seconds}.mp4`
  const file = path.join(folder, name)
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '16', '-g', '60', ...AAC]
  if (!existsSync(file)) ffmpeg(...pictured('1920x1080', 30, seconds), ...coded, file)
  return { name, file, format: 'MP4' }
}

function withoutIndex(folder: string): void {
  const bytes = readFileSync(path.join(folder, 'xvid.avi'))
  writeFileSync(path.join(folder, 'no-index.avi'), bytes.subarray(0, bytes.lastIndexOf('idx1')))
}

/** Two broadcasts, cut together: times jump by an hour in the middle. */
function withBreaks(folder: string): void {
  const halves = [0, 3600].map((offset) => {
    const half = path.join(folder, `half-${offset}.ts`)
    const shifted = ['-output_ts_offset', String(offset), '-muxdelay', '0']
    ffmpeg(...pictured('640x360', 25, SECONDS / 2), ...H264, ...AAC, ...shifted, half)
    return readFileSync(half)
  })
  writeFileSync(path.join(folder, 'breaks.ts'), Buffer.concat(halves))
}
