import { deepStrictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { PdfiumKeeper } from '@mediamill/engines/document/pdfium/pdfium-keeper'
import { snapshotDocument } from '@mediamill/engines/document/snapshot'
import type { TestFile } from '@mediamill/engines/image/process-fixture'
import { processed } from '@mediamill/engines/image/process-fixture'
import { screenshotVideo } from '@mediamill/engines/video/screenshot'
import type { Bench } from '@mediamill/engines/video/video-fixture'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import sharp from 'sharp'

type Made = { hash: string; thumbnail: boolean }

/** A job of an engine, done in this process with or without a thumbnail. */
export type Job = (thumbnail: boolean) => Promise<Made>

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const photo = await readFile(sampleFile('photo.jpg'))

/** Grain as of a sensor, without which a picture made larger is a third of a photograph's bytes. */
const GRAIN = 7

/** A photograph of this size as cameras write it: 3 MB at 12 megapixels. */
export async function photographOf(width: number, height: number, format: 'JPEG' | 'PNG' = 'JPEG'): Promise<TestFile> {
  const pixels = await sharp(photo).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  for (let at = 0, seed = 1; at < pixels.length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    const grained = (pixels[at] ?? 0) + ((seed >>> 16) % GRAIN) - (GRAIN >> 1)
    pixels[at] = Math.min(255, Math.max(0, grained))
  }
  const image = sharp(pixels, { raw: { width, height, channels: 3 } })
  return { format, bytes: await (format === 'JPEG' ? image.jpeg({ quality: 90 }) : image.png()).toBuffer() }
}

/** A job of `images/process`. */
export const imageJob =
  (source: TestFile, operations: object[], output: ImageOutputFormat, marks: Record<string, TestFile> = {}): Job =>
  async (thumbnail) => {
    const made = await processed(source, operations, { output, thumbnail, marks })
    return { hash: hashOf(made.bytes), thumbnail: made.thumbnail !== undefined }
  }

/** A job of `videos/screenshot` on the first frame of a test picture of this size. */
export function stillJob(bench: Bench, size: string, format: 'jpg' | 'png'): Job {
  const file = bench.path(`${size}.mp4`)
  const input = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=5:duration=1`]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, '-pix_fmt', 'yuv420p', '-preset', 'ultrafast', file])
  return async (thumbnail) => {
    const parameters = { seconds: 0, output: { format } }
    const done = await bench.run(screenshotVideo, file, 'MP4', { parameters, thumbnail })
    return { hash: hashOf(await readFile(done.files[0]?.path ?? '')), thumbnail: done.thumbnail !== undefined }
  }
}

/** A job of `documents/snapshot` on the first page of the sample. */
export async function snapshotJob(format: 'jpg' | 'png'): Promise<Job> {
  const keeper = await PdfiumKeeper.start()
  const path = fileURLToPath(sampleFile('report.pdf'))
  const { length: size } = await readFile(path)
  const limits = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 2 ** 29 }
  return async (thumbnail) => {
    const scratch = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
    try {
      const done = await snapshotDocument(keeper, {
        task: 'documents/snapshot',
        input: { path, format: 'PDF', size },
        assets: [],
        parameters: { page: 1, output: { format } },
        scratch,
        limits,
        ...(thumbnail && { thumbnail }),
      })
      return { hash: hashOf(await readFile(done.files[0]?.path ?? '')), thumbnail: done.thumbnail !== undefined }
    } finally {
      await rm(scratch, { recursive: true })
    }
  }
}

/** Milliseconds of processor time of one run. */
async function timed(job: Job, thumbnail: boolean): Promise<Made & { ms: number }> {
  const before = process.cpuUsage()
  const made = await job(thumbnail)
  const { user, system } = process.cpuUsage(before)
  return { ...made, ms: (user + system) / 1000 }
}

/**
 * Does a job with and without a thumbnail in turns for about 5 s; gives the least of each, and the cost as text.
 *
 * What else runs on the machine only adds to processor time, by its caches and interrupts: the least tells the job's own.
 */
export async function compare(job: Job): Promise<{ plain: number; more: number; part: string }> {
  await job(true)
  const without: number[] = []
  const both: number[] = []
  let hasOne = false
  const until = performance.now() + 5000
  while (without.length < 7 || (performance.now() < until && without.length < 25)) {
    const plain = await timed(job, false)
    const more = await timed(job, true)
    deepStrictEqual(more.hash, plain.hash)
    hasOne = more.thumbnail
    without.push(plain.ms)
    both.push(more.ms)
  }
  const plain = Math.min(...without)
  // Without one nothing else is done: what differs is noise.
  const more = hasOne ? Math.min(...both) : plain
  return { plain, more, part: hasOne ? `${((100 * (more - plain)) / plain).toFixed(1)} %` : 'none is made' }
}

/** Milliseconds of processor time of a job that makes no picture: the least of a few runs. */
export async function least(job: Job): Promise<number> {
  const found: number[] = []
  while (found.length < 4) found.push((await timed(job, false)).ms)
  return Math.min(...found)
}
