import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaType } from '@mediamill/contract/domain/media'
import sharp from 'sharp'
import type { Json, Service } from '../support/service.ts'
import type { SecondOpinion } from './ffmpeg.ts'
import type { Trial } from './trials.ts'
import { documentTrials, imageTrials, READ, SHOWN, videoTrials } from './trials.ts'

/** The outcome of one trial request: `succeeded`, an error code, or an unexpected error. */
export type Outcome = {
  trial: string
  outcome: string
  message: string
  data: Record<string, unknown> | undefined
  /** The result's file name in the report's folder. */
  file: string | undefined
  /** The file name of an image with frames of the result video, in the report's folder. */
  strip: string | undefined
  /** Differences between the service's metadata and ffprobe's. */
  doubts: string[]
  milliseconds: number
}

export type Subject = {
  name: string
  media: MediaType
  path: string
  url: string
  results: string
  stem: string
  /** ffmpeg as a second opinion for videos, if it is installed. */
  second: SecondOpinion | undefined
}

/** Reads the metadata of a file, and runs all trials of its media type. */
export async function processFile(service: Service, subject: Subject, watermarkUrl: string): Promise<Outcome[]> {
  const read = await attempt(service, subject, READ[subject.media], 0)
  const trials = trialsFor(subject.media, read.data, watermarkUrl)
  const outcomes = [read]
  for (const [index, trial] of trials.entries()) outcomes.push(await attempt(service, subject, trial, index + 1))
  return outcomes
}

/** Returns the trials of a file. An image without readable metadata gets one trial, to compare its error code. */
function trialsFor(media: MediaType, metadata: Json, watermarkUrl: string): Trial[] {
  switch (media) {
    case 'image': {
      const { width = 1, height = 1, frames = 1, format } = metadata ?? {}
      const animated = frames > 1 && (format === 'GIF' || format === 'WEBP')
      return [SHOWN, ...(metadata === undefined ? [] : imageTrials({ width, height, animated }, watermarkUrl))]
    }
    case 'video':
      return videoTrials(watermarkUrl)
    case 'document':
      return documentTrials(watermarkUrl)
  }
}

async function attempt(service: Service, subject: Subject, trial: Trial, index: number): Promise<Outcome> {
  const startedAt = performance.now()
  const request = await service.finish(trial.path, { source: subject.url, ...trial.body })
  const milliseconds = Math.round(performance.now() - startedAt)
  const { data } = request.result ?? {}
  const bare = { trial: trial.name, milliseconds, data, message: '', file: undefined, strip: undefined }
  const outcome: Omit<Outcome, 'outcome'> = { ...bare, doubts: [] }
  if (request.status !== 'succeeded') {
    return { ...outcome, outcome: request.error?.code ?? request.status, message: request.error?.message ?? '' }
  }
  const [made] = request.result.files ?? []
  if (made === undefined)
    return { ...outcome, outcome: 'succeeded', ...(await checkQuality(subject, subject.path, data)) }
  const bytes = Buffer.from(await (await fetch(made.url)).arrayBuffer())
  const stem = `${subject.stem}-${index}`
  await writeFile(join(subject.results, `${stem}.${made.format}`), bytes)
  // Browsers cannot display a TIFF, so the report shows a PNG.
  const file = made.format === 'tif' ? `${stem}.png` : `${stem}.${made.format}`
  if (made.format === 'tif') await sharp(bytes).png().toFile(join(subject.results, file))
  const isWhole = bytes.length === made.size && createHash('sha256').update(bytes).digest('hex') === made.sha256
  const judged = made.format === 'mp4' ? await checkQuality(subject, join(subject.results, file), data, stem) : {}
  return { ...outcome, outcome: isWhole ? 'succeeded' : 'THE FILE IS NOT WHAT ITS RECORD SAYS', file, ...judged }
}

/** Compares the metadata of a video with ffprobe's, and draws frames of the result. */
async function checkQuality({ media, results, second }: Subject, file: string, data: Json, stem?: string) {
  if (second === undefined || media !== 'video') return {}
  const strip = stem === undefined ? undefined : `${stem}.strip.jpg`
  if (strip !== undefined) await second.strip(file, join(results, strip))
  return { strip, doubts: await second.doubts(file, data) }
}
