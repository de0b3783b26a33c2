import { rm } from 'node:fs/promises'
import type { EngineJob, EngineResult } from '../protocol/messages.ts'
import { describeResult, resultPath } from '../protocol/result-file.ts'
import type { CallWorker } from '../protocol/serve.ts'
import { encodeStrategies, encodeWithFallback } from './encode-strategies.ts'
import { SHORTER } from './libav/failures.ts'
import { openMedia } from './libav/media.ts'
import { makeVideo, threadCount } from './make-video.ts'
import { COPYING_BYTES, memoryFor } from './memory.ts'
import { readMetadata } from './metadata.ts'
import type { Prepared } from './prepare.ts'
import { prepare } from './prepare.ts'
import type { ProcessJob } from './segments/cut-video.ts'
import { findStretches } from './segments/cut-video.ts'
import { draw } from './tracks/drawing.ts'

export async function processVideo(
  job: ProcessJob,
  report: (percent: number) => void,
  callWorker: CallWorker,
): Promise<EngineResult<'videos/process'>> {
  const { operations, max_duration: maxSeconds } = job.parameters
  const output = resultPath(job, 'mp4')
  const prepared = await prepareJob(job)
  const { plan, stored, isCopied, seconds } = prepared
  if (seconds !== undefined) await callWorker({ type: 'estimate', units: startedMinutes(seconds) })
  await callWorker({ type: 'reserve', bytes: isCopied ? COPYING_BYTES : memoryFor(plan, stored, threadCount()) })
  const drawing = await draw(plan, operations, job)
  const stretches = await findStretches(job, prepared, callWorker)
  let share = 0
  const onShare = (next: number) => {
    share = Math.max(share, next)
    report(Math.min(99, Math.floor(share * 100)))
  }
  await encodeWithFallback(encodeStrategies(isCopied, stretches), async (strategy) => {
    await rm(output, { force: true })
    await makeVideo(job, output, { ...strategy, drawing, maxSeconds, onShare })
  })
  return await describeVideo(job)
}

async function prepareJob(job: ProcessJob): Promise<Prepared> {
  await using media = await openMedia(job.input)
  return prepare(media, job)
}

export async function describeVideo(
  job: Pick<EngineJob, 'scratch' | 'limits'>,
): Promise<EngineResult<'videos/process'>> {
  const file = await describeResult(job, 'mp4', SHORTER)
  await using media = await openMedia({ path: file.path, format: 'MP4', size: file.size })
  const data = await readMetadata(media)
  return { data, files: [file], units: startedMinutes(data.duration) }
}

// The last audio packet may end up to this long after the video, which must not start another billed minute.
const LAST_PACKET_SECONDS = 0.1

/** Returns the number of started minutes, at least 1 (billing.units.1). */
export function startedMinutes(seconds: number): number {
  return Math.max(1, Math.ceil((seconds - LAST_PACKET_SECONDS) / 60))
}
