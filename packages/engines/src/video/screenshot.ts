import { isOwnThumbnail, isSmallFile } from '@mediamill/contract/domain/drawn/thumbnail'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { planVideo } from '@mediamill/media/plan/video'
import type { Frame } from 'node-av/lib'

import type { EngineJob, EngineResult, EngineThumbnail, JobOf } from '../protocol/messages.ts'
import { writeResult, writeThumbnail } from '../protocol/result-file.ts'
import type { AskWorker } from '../protocol/serve.ts'

import { displayedSizeOf, readFacts } from './facts.ts'
import { findFrame } from './find-frame.ts'
import { formatSeconds } from './libav/failures.ts'
import type { Media } from './libav/media.ts'
import { stillMemoryFor } from './memory.ts'
import { encodeStill, encodeThumbnail } from './still.ts'
import { withMedia } from './with-media.ts'

type Picture = Size & { data: Buffer; thumbnail?: EngineThumbnail }

/** Does the task `videos/screenshot`. It makes a picture of one moment of a video, as a player would show it. */
export async function screenshotVideo(
  job: JobOf<'videos/screenshot'>,
  _report: unknown,
  ask: AskWorker,
): Promise<EngineResult<'videos/screenshot'>> {
  const { seconds, output } = job.parameters
  const { format } = output
  const shoot = async (media: Media): Promise<Picture> => {
    const displayed = displayedSizeOf(media)
    // For its limits: nothing is drawn.
    planVideo([], displayed, job.limits)
    const duration = media.durationSeconds ?? (await readFacts(media)).duration
    if (seconds >= duration) throw pastTheEnd(seconds, duration)
    const { width, height } = media.video.codecpar
    await ask({ type: 'reserve', bytes: stillMemoryFor(displayed, { width, height }) })
    using frame = await findFrame(media, seconds, job.limits.maxFramePixels)
    const isWanted = job.thumbnail === true && !isOwnThumbnail(format, displayed)
    // The filters take a frame over: the thumbnail has another hold on the same pixels.
    using again = isWanted ? frame.clone() : null
    const data = encodeStill(frame, { format, media, displayed })
    const isSmall = isSmallFile(format, displayed, data.length)
    return { ...displayed, data, ...(again !== null && !isSmall && thumbnailOf(job, again, { media, displayed })) }
  }
  const picture = await withMedia(job.input, ask, shoot, { isHeaderEnough: true })
  const wayOut = 'As output.format, jpg makes the smallest file.'
  const file = writeResult(job, format, { parts: [picture.data], wayOut })
  const { width, height } = picture
  const facts = { width, height, format: OUTPUT.image[format].name, size: file.size, seconds }
  const small = picture.thumbnail === undefined ? {} : { thumbnail: picture.thumbnail }
  return { data: facts, files: [file], units: 1, ...small }
}

function thumbnailOf(job: EngineJob, frame: Frame, still: Parameters<typeof encodeThumbnail>[1]) {
  try {
    return writeThumbnail(job, encodeThumbnail(frame, still))
  } catch {
    // The still is worth more than its thumbnail.
    return {}
  }
}

function pastTheEnd(seconds: number, duration: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The video is ${formatSeconds(duration)} long, so there is no picture at ${seconds} s. Choose a moment before its end.`,
  )
}
