import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { noise, quarters } from '../support/images.ts'
import type { SourceHandler } from '../support/source-server.ts'
import { makeClip } from '../support/video-clip.ts'

/** The expected outcome of a request without failures, by source and by endpoint. */
export const ENDINGS = {
  small: { process: 'succeeded', read: 'succeeded' },
  large: { process: 'succeeded', read: 'succeeded' },
  slow: { process: 'succeeded', read: 'succeeded' },
  missing: { process: 'source_unreachable', read: 'source_unreachable' },
  text: { process: 'unsupported_media', read: 'unsupported_media' },
  noise: { process: 'succeeded', read: 'succeeded' },
  damaged: { process: 'processing_failed', read: 'succeeded' },
  video: { process: 'succeeded', read: 'succeeded' },
} as const

export type SourceKind = keyof typeof ENDINGS

export type SourceFiles = Readonly<Record<Exclude<SourceKind, 'missing' | 'slow'>, Buffer>>

export async function makeFiles(): Promise<SourceFiles> {
  const small = await quarters(320, 240, 'jpeg')
  const large = await quarters(3000, 2000, 'jpeg')
  const text = Buffer.from('This is no picture.\n'.repeat(50))
  return {
    small,
    large,
    text,
    noise: await noise(NOISE_SIDE),
    damaged: large.subarray(0, large.length / 2),
    video: await makeVideo(),
  }
}

/** The length of the source video, and the minimum length at which the service splits a video, in seconds. */
export const VIDEO_SECONDS = 24
export const SPLIT_THRESHOLD_SECONDS = 4

const RATE = 25

/** Makes the source video. A keyframe every second lets the service split the video into many segments. */
async function makeVideo(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-chaos-video-'))
  try {
    const path = join(folder, 'video.mp4')
    const drawn = { width: 320, height: 180, frames: VIDEO_SECONDS * RATE, rate: RATE, sound: ['aac'] }
    await makeClip(path, { container: 'mp4', ...drawn, encoder: { g: String(RATE), preset: 'ultrafast' } })
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

export function serveFiles({
  small,
  large,
  text,
  noise: noisy,
  damaged,
  video,
}: SourceFiles): Record<string, SourceHandler> {
  return {
    '/small': small,
    '/large': large,
    '/text': text,
    '/noise': noisy,
    '/damaged': damaged,
    '/video': video,
    '/slow': (_call, response) => {
      response.writeHead(200, { 'content-length': small.length })
      void dribble(small, (chunk) => response.write(chunk)).finally(() => response.end())
    },
  }
}

/** The side of the noise image in pixels. Noise is incompressible, so source and result need multipart uploads. */
const NOISE_SIDE = 1_800

const CHUNKS = 6
const PAUSE_MS = 400

/** Sends an image over several seconds, so that its worker is often killed during the download. */
async function dribble(file: Buffer, write: (chunk: Buffer) => void): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    write(file.subarray((file.length * chunk) / CHUNKS, (file.length * (chunk + 1)) / CHUNKS))
    await delay(PAUSE_MS)
  }
}
