import { RequestFailure } from '@mediamill/contract/domain/errors'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { planVideo } from '@mediamill/media/plan/video'

import type { EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import type { AskWorker } from '../protocol/serve.ts'
import { findFrame } from './find-frame.ts'
import { formatSeconds } from './libav/failures.ts'
import type { Media } from './libav/media.ts'
import { stillMemoryFor } from './memory.ts'
import { displayedSizeOf, readMetadata } from './metadata.ts'
import { encodeStill } from './still.ts'
import { withMedia } from './with-media.ts'

type Image = Size & { data: Buffer }

export async function screenshotVideo(
  job: JobOf<'videos/screenshot'>,
  _report: unknown,
  ask: AskWorker,
): Promise<EngineResult<'videos/screenshot'>> {
  const { seconds, output } = job.parameters
  const { format } = output
  const shoot = async (media: Media): Promise<Image> => {
    const displayed = displayedSizeOf(media)
    // A plan without operations only checks the limits.
    planVideo([], displayed, job.limits)
    const duration = media.durationSeconds ?? (await readMetadata(media)).duration
    if (seconds >= duration) throw pastTheEnd(seconds, duration)
    const { width, height } = media.video.codecpar
    await ask({ type: 'reserve', bytes: stillMemoryFor(displayed, { width, height }) })
    using frame = await findFrame(media, seconds, job.limits.maxFramePixels)
    return { ...displayed, data: encodeStill(frame, { format, media, displayed }) }
  }
  const frame = await withMedia(job.input, ask, shoot, { isHeaderEnough: true })
  const fix = 'Use output.format jpg, which makes the smallest file.'
  const file = writeResult(job, format, { parts: [frame.data], fix })
  const { width, height } = frame
  const metadata = { width, height, format: OUTPUT.image[format].name, size: file.size, seconds }
  return { data: metadata, files: [file], units: 1 }
}

function pastTheEnd(seconds: number, duration: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The video is ${formatSeconds(duration)} long, so there is no frame at ${seconds} s. Choose a time before its end.`,
  )
}
