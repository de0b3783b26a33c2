import { rm } from 'node:fs/promises'
import { AVDISCARD_ALL } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { resultPath } from '../../protocol/result-file.ts'
import { LibavError, newFrame } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { Mp4Writer } from '../libav/mp4-writer.ts'
import { COPYING_BYTES } from '../memory.ts'
import { openAudioPipeline } from '../tracks/audio-pipeline.ts'
import { NotCopiedError } from '../tracks/copied-track.ts'
import type { Sink } from '../tracks/pump.ts'
import { pump } from '../tracks/pump.ts'
import { PlanMismatchError } from '../tracks/segment-window.ts'
import { withMedia } from '../with-media.ts'
import type { SegmentContext } from './segment-context.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

export async function makeAudioSegment(context: SegmentContext): Promise<SegmentMetadata> {
  await context.callWorker({ type: 'reserve', bytes: COPYING_BYTES })
  try {
    return await attempt(context, true)
  } catch (error) {
    if (!(error instanceof NotCopiedError || error instanceof LibavError)) throw error
    await rm(resultPath(context.job, 'mp4'), { force: true })
    return await attempt(context, false)
  }
}

async function attempt({ job, callWorker, onShare }: SegmentContext, isCopied: boolean): Promise<SegmentMetadata> {
  return await withMedia(
    job.input,
    callWorker,
    async (media) => {
      const { audio, durationSeconds = Number.POSITIVE_INFINITY } = media
      if (audio === undefined) throw new PlanMismatchError('the audio is missing')
      const { max_duration: maxSeconds } = job.parameters
      await using writer = new Mp4Writer(resultPath(job, 'mp4'), ['audio'], { limits: job.limits, isPart: true })
      using frame = newFrame()
      using tracks = new DisposableStack()
      const { sink, end } = await openAudioPipeline(audio, { media, writer, maxSeconds, isCopied, tracks, frame })
      await pump({
        media,
        writer,
        sinks: new Map([[audio, sink], ...timingSinks(media)]),
        maxResultBytes: job.limits.maxResultBytes,
        onShare,
        neededSeconds: maxSeconds === undefined || maxSeconds > durationSeconds ? undefined : maxSeconds,
        isPartial: true,
      })
      end()
      const start = writer.startOf('audio')
      if (start === undefined) throw new PlanMismatchError('the audio has no packet')
      await writer.finish()
      return { start: Number(start), end: 0, last: 0, reached: 0, last_duration: 0 }
    },
    { isFetchedAhead: true },
  )
}

/**
 * Returns the sinks to read besides the audio. If times may jump, the times of all streams are corrected together, so
 * the video is read too.
 */
function timingSinks({ video, isStream }: Media): [Stream, Sink][] {
  if (isStream) return [[video, { put() {}, isComplete: () => true }]]
  video.discard = AVDISCARD_ALL
  return []
}
