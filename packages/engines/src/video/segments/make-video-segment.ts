import { rm } from 'node:fs/promises'
import type { Frame } from 'node-av/lib'
import { resultPath } from '../../protocol/result-file.ts'
import { Decoder } from '../libav/decoder.ts'
import type { Encoded } from '../libav/encoder.ts'
import { existing, newFrame } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { Mp4Writer } from '../libav/mp4-writer.ts'
import { threadCount } from '../make-video.ts'
import { memoryFor } from '../memory.ts'
import { displayedSizeOf } from '../metadata.ts'
import { prepare } from '../prepare.ts'
import { draw } from '../tracks/drawing.ts'
import type { Drawing } from '../tracks/frame-graph.ts'
import { PlanMismatchError, StartTooLateError } from '../tracks/segment-window.ts'
import { VideoTrack } from '../tracks/video-track.ts'
import { withMedia } from '../with-media.ts'
import { boundsOf, groupOf } from './bounds.ts'
import { readSegment } from './read-segment.ts'
import { SegmentAudio } from './segment-audio.ts'
import type { SegmentContext } from './segment-context.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

// Seconds before the cut at which to start reading, tried in order. Frames may refer to earlier frames, and some
// indexes have only decoding times.
const BACK_SECONDS = [0, 1, 3, 8, 20, 60]

export async function makeVideoSegment(context: SegmentContext, index: number): Promise<SegmentMetadata> {
  const { job, plan } = context
  const drawn: { drawing?: Drawing } = {}
  const backTimes =
    index === 0 || plan.places.length > 0 ? [0] : plan.isInterlaced ? BACK_SECONDS.slice(1) : BACK_SECONDS
  for (const [attemptIndex, backSeconds] of backTimes.entries()) {
    try {
      return await attempt(context, { index, drawn, backSeconds, isFirst: attemptIndex === 0 && backTimes.length > 1 })
    } catch (error) {
      if (!(error instanceof StartTooLateError) || attemptIndex === backTimes.length - 1) throw error
      await rm(resultPath(job, 'mp4'), { force: true })
    }
  }
  throw new PlanMismatchError('no position to start decoding was found')
}

type Attempt = { index: number; drawn: { drawing?: Drawing }; backSeconds: number; isFirst: boolean }

async function attempt(
  context: SegmentContext,
  { index, drawn, backSeconds, isFirst }: Attempt,
): Promise<SegmentMetadata> {
  const { job, plan, callWorker } = context
  return await withMedia(
    job.input,
    callWorker,
    async (media) => {
      checkUnits(media, context)
      const drawing = (drawn.drawing ??= await prepareDrawing(media, context))
      const bounds = boundsOf(plan, index)
      const { encoder: coded } = plan
      const { time_base: timeBase, ...rest } = coded
      const threads = threadCount()
      const audioStream = plan.sound === 'beside' ? existing(media.audio ?? null, 'audio') : undefined
      const trackNames = audioStream === undefined ? ['video'] : ['video', 'audio']
      await using writer = new Mp4Writer(resultPath(job, 'mp4'), trackNames, { limits: job.limits, isPart: true })
      using frame = newFrame()
      using tracks = new DisposableStack()
      const decoder = tracks.use(
        await Decoder.open('video', media.video, { threads, maxPixels: job.limits.maxFramePixels }),
      )
      const track = tracks.use(
        new VideoTrack({
          media,
          displayed: displayedSizeOf(media),
          drawing,
          writer,
          threads,
          instructions: job.limits.x264Instructions,
          maxSeconds: job.parameters.max_duration,
          segment: {
            ...bounds,
            coding: { timeBase, ...rest },
            groupFrames: groupOf(plan, index),
          },
        }),
      )
      const audio =
        audioStream && new SegmentAudio(audioStream, { media, writer, maxSeconds: job.parameters.max_duration, bounds })
      const take = (decoded: Frame) => {
        // The decoder needs earlier frames, because this frame is not a real keyframe.
        if (isFirst && decoded.decodeErrorFlags !== 0)
          throw new StartTooLateError('frames refer to frames that were not read')
        track.put(decoded)
      }
      await readSegment(context, {
        media,
        index,
        backSeconds,
        writer,
        track,
        put: (packet) => decoder.decode(packet, frame, take),
        copiedAudio: audio,
      })
      if (decoder.frames === 0 || decoder.failures > decoder.frames)
        throw new PlanMismatchError('most frames could not be decoded')
      if (bounds.until !== undefined && !track.isComplete)
        throw new PlanMismatchError('the source ends before the segment does')
      const encoded = track.finish()
      if (encoded === undefined) throw new PlanMismatchError('the segment has no frame')
      await writer.finish()
      return { ...metadataOf(encoded), ...(audio !== undefined && { sound: audio.metadata }) }
    },
    { isFetchedAhead: true },
  )
}

async function prepareDrawing(media: Media, { job, callWorker }: SegmentContext): Promise<Drawing> {
  const { plan, stored } = prepare(media, job)
  await callWorker({ type: 'reserve', bytes: memoryFor(plan, stored, threadCount()) })
  return await draw(plan, job.parameters.operations, job)
}

function checkUnits({ video: { timeBase } }: Media, { plan }: SegmentContext): void {
  const { num, den } = plan.time_base
  if (timeBase.num !== num || timeBase.den !== den) throw new PlanMismatchError('the source has another time base')
}

const metadataOf = ({ start, frameEnd, last, end, lastDuration }: Encoded): SegmentMetadata => ({
  start: Number(start),
  end: Number(frameEnd),
  last: Number(last),
  reached: Number(end),
  last_duration: Number(lastDuration),
})
