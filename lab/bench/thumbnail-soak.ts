import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { factsOf, processed as processedDocument } from '@mediamill/engines/document/document-fixture'
import { readImage } from '@mediamill/engines/image/read'
import { processVideo } from '@mediamill/engines/video/process'
import { readVideo } from '@mediamill/engines/video/read'
import type { Bench, TestedTask } from '@mediamill/engines/video/video-fixture'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import type { Job } from './thumbnail-jobs.ts'
import { imageJob, photographOf, snapshotJob, stillJob } from './thumbnail-jobs.ts'

/** A kind of job, and how often a round of the soak has it. */
export type SoakKind = { times: number; name: string; job: Job; isShown: boolean }

const NO_FILE = { hash: '', thumbnail: false }
const resize = [{ type: 'orient' }, { type: 'resize', width: 640, height: 640 }]

/**
 * The round of jobs of `lab/soak/mix.ts`, of all eight endpoints, on media as people send them: photographs of 12
 * megapixels in place of the samples, a video of 1080 rows and 10 s. The one that fails at its first byte is left out.
 */
export async function soakKinds(bench: Bench): Promise<SoakKind[]> {
  const phone = await photographOf(4000, 3000)
  const sample = async (name: Parameters<typeof sampleFile>[0]) => await readFile(sampleFile(name))
  const logo = { 'https://example.com/logo.png': { bytes: await sample('logo.png'), format: 'PNG' } } as const
  const [image_url] = Object.keys(logo)
  const mark = { type: 'watermark', image_url, x: 20, y: 20 }
  const heic = { bytes: await sample('phone.heic'), format: 'HEIC' } as const
  const gif = { bytes: await sample('animation.gif'), format: 'GIF' } as const
  const report = await sample('report.pdf')
  const photo = bench.path('photo.jpg')
  await writeFile(photo, phone.bytes)
  const clip = bench.path('clip.mp4')
  const input = ['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=25:duration=10', '-pix_fmt', 'yuv420p']
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, '-preset', 'veryfast', clip])

  /** A job that makes no picture, and so is done in the same way with and without. */
  const other =
    (work: () => Promise<unknown>): Job =>
    async () => {
      await work()
      return NO_FILE
    }
  const run = (task: TestedTask, file: string, format: string, options: object = {}) =>
    other(async () => await bench.run(task, file, format as VideoSourceFormat, options))
  const smaller = [{ type: 'resize', width: 320, height: 180 }]
  const pictures: [number, string, Job][] = [
    [3, 'a photograph to 640', imageJob(phone, resize, 'jpg')],
    [1, 'the same with a watermark', imageJob(phone, [...resize, mark], 'jpg', logo)],
    [1, 'a picture of a phone, to WebP', imageJob(heic, resize, 'webp')],
    [1, 'its background removed, to PNG', imageJob(phone, [{ type: 'remove_background', tolerance: 8 }], 'png')],
    [1, 'a look', imageJob(phone, [{ type: 'filter', name: 'valencia' }], 'jpg')],
    [1, 'grey, compressed', imageJob(phone, [{ type: 'grayscale' }, { type: 'compress', quality: 40 }], 'jpg')],
    [1, 'an animation made smaller', imageJob(gif, [{ type: 'resize', width: 160, height: 160 }], 'gif')],
    [2, 'a page of a document', await snapshotJob('jpg')],
    [1, 'a still of a video', stillJob(bench, '1920x1080', 'jpg')],
  ]
  const others: [number, string, Job][] = [
    [3, 'a picture read', run(readImage, photo, 'JPEG')],
    [1, 'a video read', run(readVideo, clip, 'MP4')],
    [1, 'a video made smaller', run(processVideo, clip, 'MP4', { operations: smaller })],
    [1, 'a document read', other(async () => await factsOf(report))],
    [1, 'a document with a watermark', other(async () => await processedDocument(report, [mark], { marks: logo }))],
  ]
  return [
    ...pictures.map(([times, name, job]) => ({ times, name, job, isShown: true })),
    ...others.map(([times, name, job]) => ({ times, name, job, isShown: false })),
  ]
}
