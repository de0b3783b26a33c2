import { rm } from 'node:fs/promises'
import type { EngineJob, EngineResult } from '../protocol/messages.ts'
import { describeResult, resultPath } from '../protocol/result-file.ts'
import type { AskWorker } from '../protocol/serve.ts'
import { readFacts } from './facts.ts'
import { openMedia } from './libav/media.ts'
import { makeVideo, threadCount } from './make-video.ts'
import { COPYING_BYTES, memoryFor } from './memory.ts'
import type { ProcessJob } from './parts/find-stretches.ts'
import { findStretches } from './parts/find-stretches.ts'
import type { Prepared } from './prepare.ts'
import { prepare } from './prepare.ts'
import { draw } from './tracks/drawing.ts'
import { SHORTER } from './tracks/pump.ts'
import { makeByFirst, waysOf } from './ways.ts'

/**
 * Does the task `videos/process`: runs operations on every frame and writes an MP4.
 *
 * What the source already is, is copied: its sound where MP4 players know the coding, its picture too when nothing is to
 * be done to it. Where the packets turn out not to stand in an MP4, everything is encoded after all.
 */
export async function processVideo(
  job: ProcessJob,
  report: (percent: number) => void,
  ask: AskWorker,
): Promise<EngineResult<'videos/process'>> {
  const { operations, max_duration: maxSeconds } = job.parameters
  const output = resultPath(job, 'mp4')
  const prepared = await prepareJob(job)
  const { plan, stored, isCopied, seconds } = prepared
  if (seconds !== undefined) await ask({ type: 'estimate', units: startedMinutes(seconds) })
  await ask({ type: 'reserve', bytes: isCopied ? COPYING_BYTES : memoryFor(plan, stored, threadCount()) })
  const drawing = await draw(plan, operations, job)
  const stretches = await findStretches(job, prepared, ask)
  let share = 0
  const onShare = (next: number) => {
    share = Math.max(share, next)
    report(Math.min(99, Math.floor(share * 100)))
  }
  await makeByFirst(waysOf(isCopied, stretches), async (way) => {
    await rm(output, { force: true })
    await makeVideo(job, output, { ...way, drawing, maxSeconds, onShare })
  })
  return await describeVideo(job)
}

async function prepareJob(job: ProcessJob): Promise<Prepared> {
  await using media = await openMedia(job.input)
  return prepare(media, job)
}

/** The result's facts, read from the file itself. */
export async function describeVideo(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
): Promise<EngineResult<'videos/process'>> {
  const file = await describeResult(job, 'mp4', SHORTER)
  await using media = await openMedia({ path: file.path, format: 'MP4', size: file.size })
  const data = await readFacts(media)
  return { data, files: [file], units: startedMinutes(data.duration) }
}

// Sound comes in packets of up to a tenth of a second: what the last one reaches past a whole minute is not billed.
const LAST_PACKET_SECONDS = 0.1

/** Spec 4.2: started minutes of the video, at least one. */
export function startedMinutes(seconds: number): number {
  return Math.max(1, Math.ceil((seconds - LAST_PACKET_SECONDS) / 60))
}
