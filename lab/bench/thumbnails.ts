/**
 * What thumbnails cost of an engine's processor time (rulings 81 and 82):
 * `node lab/bench/thumbnails.ts [mix] [soak] [still] [FORMAT …]`.
 *
 * `mix` is one job of each kind that makes pictures, and their sum; `soak` is a round of the jobs of `npm run soak`, of all
 * endpoints, on media of usual size; formats and `still` are the dearest case of each, at three sizes. It runs what an
 * engine runs, in this process and on sharp's one thread, with and without a thumbnail in turns, and stops when the
 * results' bytes differ.
 */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { openBench } from '@mediamill/engines/video/video-fixture'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import sharp from 'sharp'
import type { Job } from './thumbnail-jobs.ts'
import { compare, imageJob, least, photographOf, snapshotJob, stillJob } from './thumbnail-jobs.ts'
import { soakKinds } from './thumbnail-soak.ts'

const SIZES = { '2 MP': [1800, 1200], '12 MP': [4000, 3000], '24 MP': [6000, 4000] } as const
const FORMATS = ['jpg', 'png', 'webp', 'tif'] as const
const asked = new Set(process.argv.slice(2))
const wants = (name: string) => asked.size === 0 || asked.has(name)

sharp.concurrency(1)
sharp.cache(false)

const say = (line: string) => process.stdout.write(`${line}\n`)
const row = (name: string, plain: number, more: number, part: string) =>
  say(`${name.padEnd(44)} ${plain.toFixed(1).padStart(8)} → ${more.toFixed(1).padStart(8)} ms   ${part}`)

async function show(name: string, job: Job) {
  const { plain, more, part } = await compare(job)
  row(name, plain, more, part)
  return { plain, more }
}

async function showOnce(name: string, job: Job) {
  const ms = await least(job)
  row(name, ms, ms, 'no picture is made')
  return { plain: ms, more: ms }
}

await using bench = await openBench()
say(`load ${loadavg()[0]?.toFixed(1)}`)

if (wants('mix')) {
  const phone = await photographOf(4000, 3000)
  const screen = await photographOf(2560, 1440, 'PNG')
  const mark = {
    'https://example.com/logo.png': { bytes: await readFile(sampleFile('logo.png')), format: 'PNG' },
  } as const
  const [image_url] = Object.keys(mark)
  const resize = (width: number) => [{ type: 'orient' }, { type: 'resize', width, height: width }]
  const mix: [string, Job][] = [
    ['12 MP to a square of 300, jpg', imageJob(phone, [{ type: 'thumbnail', width: 300, height: 300 }], 'jpg')],
    ['12 MP to 800 wide, webp', imageJob(phone, resize(800), 'webp')],
    ['12 MP to 1600 wide, jpg', imageJob(phone, resize(1600), 'jpg')],
    ['12 MP to 3000 wide, jpg', imageJob(phone, resize(3000), 'jpg')],
    ['12 MP with a watermark, jpg', imageJob(phone, [{ type: 'watermark', image_url, x: 40, y: 40 }], 'jpg', mark)],
    ['12 MP compressed, jpg', imageJob(phone, [{ type: 'compress', quality: 70 }], 'jpg')],
    ['12 MP as webp', imageJob(phone, [{ type: 'orient' }], 'webp')],
    ['screen of 2560 to 1280, png', imageJob(screen, resize(1280), 'png')],
    ['still of a video of 1080 rows, jpg', stillJob(bench, '1920x1080', 'jpg')],
    ['still of a video of 2160 rows, jpg', stillJob(bench, '3840x2160', 'jpg')],
    ['page of a PDF, jpg', await snapshotJob('jpg')],
    ['page of a PDF, png', await snapshotJob('png')],
  ]
  const sum = { plain: 0, more: 0 }
  for (const [name, job] of mix) {
    const { plain, more } = await show(name, job)
    sum.plain += plain
    sum.more += more
  }
  row('all of these', sum.plain, sum.more, `${((100 * (sum.more - sum.plain)) / sum.plain).toFixed(1)} %`)
}

if (wants('soak')) {
  const sum = { plain: 0, more: 0 }
  for (const { times, name, job, isShown } of await soakKinds(bench)) {
    const title = times === 1 ? name : `${name}, ${times} times`
    const { plain, more } = isShown ? await show(title, job) : await showOnce(title, job)
    sum.plain += times * plain
    sum.more += times * more
  }
  row('the round', sum.plain, sum.more, `${((100 * (sum.more - sum.plain)) / sum.plain).toFixed(1)} %`)
}

for (const format of FORMATS) {
  if (!wants(format)) continue
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    const source = await photographOf(width, height)
    await show(`flip, ${format} of ${name}`, imageJob(source, [{ type: 'flip', horizontal: true }], format))
  }
}

if (wants('still')) {
  for (const [name, size] of Object.entries({ '2 MP': '1920x1080', '12 MP': '4000x3000', '24 MP': '6000x4000' })) {
    for (const format of ['jpg', 'png'] as const) {
      await show(`still, ${format} of ${name}`, stillJob(bench, size, format))
    }
  }
}
say(`load ${loadavg()[0]?.toFixed(1)}`)
