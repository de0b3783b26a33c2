/**
 * What thumbnails cost of an engine's processor time (decision 69): pictures of 2, 12 and 24 megapixels in each format, and
 * stills of a video, made with and without one in turns. `node bench/thumbnails.ts [FORMAT …]`.
 *
 * It runs what an engine runs, in this process and on sharp's one thread, and stops when the results' bytes differ.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ImageOutputFormat } from '../src/domain/media.ts'
import { processed } from '../src/engines/image/process-fixture.ts'
import { screenshotVideo } from '../src/engines/video/screenshot.ts'
import { openBench } from '../src/engines/video/video-fixture.ts'
import { sampleFile } from '../src/outbound/fetch/samples.ts'

type Made = { hash: string; thumbnail: boolean }
type Job = (thumbnail: boolean) => Promise<Made>

const SIZES = { '2 MP': [1800, 1200], '12 MP': [4000, 3000], '24 MP': [6000, 4000] } as const
const FORMATS = ['jpg', 'png', 'webp', 'tif'] as const satisfies ImageOutputFormat[]
const wanted = new Set(process.argv.slice(2))

sharp.concurrency(1)
sharp.cache(false)

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Milliseconds of processor time of one run. */
async function timed(job: Job, thumbnail: boolean): Promise<Made & { ms: number }> {
  const before = process.cpuUsage()
  const made = await job(thumbnail)
  const { user, system } = process.cpuUsage(before)
  return { ...made, ms: (user + system) / 1000 }
}

async function compare(name: string, job: Job): Promise<void> {
  await job(true)
  const without: number[] = []
  const both: number[] = []
  let hasOne = false
  const until = performance.now() + 5000
  while (without.length < 3 || (performance.now() < until && without.length < 25)) {
    const plain = await timed(job, false)
    const more = await timed(job, true)
    deepStrictEqual(more.hash, plain.hash, name)
    hasOne = more.thumbnail
    without.push(plain.ms)
    both.push(more.ms)
  }
  const middle = (all: number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0
  const [plain, more] = [middle(without), middle(both)]
  const part = hasOne ? `${((100 * (more - plain)) / plain).toFixed(1)} %` : 'none is made'
  process.stdout.write(
    `${name.padEnd(22)} ${plain.toFixed(1).padStart(8)} → ${more.toFixed(1).padStart(8)} ms   ${part}\n`,
  )
}

const photo = await readFile(sampleFile('photo.jpg'))
for (const format of FORMATS) {
  if (wanted.size > 0 && !wanted.has(format)) continue
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    const bytes = await sharp(photo).resize(width, height, { fit: 'fill' }).jpeg({ quality: 90 }).toBuffer()
    await compare(`${format} of ${name}`, async (thumbnail) => {
      const operations = [{ type: 'flip', horizontal: true }]
      const made = await processed({ bytes, format: 'JPEG' }, operations, { output: format, thumbnail })
      return { hash: hashOf(made.bytes), thumbnail: made.thumbnail !== undefined }
    })
  }
}

if (wanted.size === 0 || wanted.has('still')) {
  await using bench = await openBench()
  for (const [name, size] of Object.entries({ '2 MP': '1920x1080', '8 MP': '3840x2160', '24 MP': '6000x4000' })) {
    const file = bench.path(`${size}.mp4`)
    const source = `testsrc2=size=${size}:rate=5:duration=1`
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      source,
      '-pix_fmt',
      'yuv420p',
      '-preset',
      'ultrafast',
      file,
    ])
    for (const format of ['jpg', 'png'] as const) {
      await compare(`still, ${format} of ${name}`, async (thumbnail) => {
        const parameters = { seconds: 0, output: { format } }
        const done = await bench.run(screenshotVideo, file, 'MP4', { parameters, thumbnail })
        return { hash: hashOf(await readFile(done.files[0]?.path ?? '')), thumbnail: done.thumbnail !== undefined }
      })
    }
  }
}
