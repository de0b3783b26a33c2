import { availableParallelism } from 'node:os'
import type { Frame, Stream } from 'node-av/lib'
import type { EngineJob } from '../protocol/messages.ts'
import { Decoder } from './libav/decoder.ts'
import { damaged } from './libav/failures.ts'
import { newFrame } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { openMedia } from './libav/media.ts'
import { Mp4Writer } from './libav/mp4-writer.ts'
import { displayedSizeOf } from './metadata.ts'
import { openAudioPipeline } from './tracks/audio-pipeline.ts'
import { CopiedTrack } from './tracks/copied-track.ts'
import type { Drawing } from './tracks/frame-graph.ts'
import type { TrackPipeline } from './tracks/pump.ts'
import { pump } from './tracks/pump.ts'
import type { Stretches } from './tracks/video-track.ts'
import { VideoTrack } from './tracks/video-track.ts'

export type Copying = { video: boolean; audio: boolean }

type Making = {
  copying: Copying
  drawing: Drawing
  maxSeconds: number | undefined
  stretches: Stretches | undefined
  onShare: (share: number) => void
}

// More threads are hardly faster, and each needs memory for frames.
const MAX_THREADS = 8

export const threadCount = () => Math.min(MAX_THREADS, availableParallelism())

type VideoContext = Making & { job: EngineJob; media: Media; writer: Mp4Writer; frame: Frame; tracks: DisposableStack }

export async function makeVideo(job: EngineJob, output: string, making: Making): Promise<void> {
  const { copying, maxSeconds, onShare } = making
  await using media = await openMedia(job.input)
  const { video, audio, durationSeconds = Number.POSITIVE_INFINITY } = media
  await using writer = new Mp4Writer(output, audio === undefined ? ['video'] : ['video', 'audio'], job)
  using frame = newFrame()
  using tracks = new DisposableStack()
  const context: VideoContext = { ...making, job, media, writer, frame, tracks }

  const pipelines = new Map<Stream, TrackPipeline>([[video, await openVideoPipeline(context)]])
  if (audio !== undefined) pipelines.set(audio, await openAudioPipeline(audio, { ...context, isCopied: copying.audio }))
  const sinks = new Map([...pipelines].map(([stream, { sink }]) => [stream, sink]))
  const neededSeconds = maxSeconds === undefined || maxSeconds > durationSeconds ? undefined : maxSeconds
  await pump({ media, writer, sinks, maxResultBytes: job.limits.maxResultBytes, onShare, neededSeconds })
  for (const { end } of pipelines.values()) end()
  await writer.finish()
}

async function openVideoPipeline(context: VideoContext): Promise<TrackPipeline> {
  const { copying, drawing, job, maxSeconds, stretches, media, writer, frame, tracks } = context
  if (copying.video) {
    const track = new CopiedTrack(media.video, media.startUs, { writer, track: 'video' })
    return { sink: { put: (packet) => track.write(packet), isComplete: () => false }, end() {} }
  }
  const threads = threadCount()
  const limits = { threads, maxPixels: job.limits.maxFramePixels }
  const decoder = tracks.use(await Decoder.open('video', media.video, limits))
  const displayed = displayedSizeOf(media)
  const track = tracks.use(
    new VideoTrack({
      media,
      displayed,
      drawing,
      writer,
      threads,
      instructions: job.limits.x264Instructions,
      maxSeconds,
      stretches,
    }),
  )
  const take = (decoded: Frame) => track.put(decoded)
  return {
    sink: { put: (packet) => decoder.decode(packet, frame, take), isComplete: () => track.isComplete },
    end() {
      decoder.decode(null, frame, take)
      if (decoder.frames === 0 || decoder.failures > decoder.frames) {
        throw damaged(new Error(`${decoder.frames} frames were decoded, and ${decoder.failures} packets failed`))
      }
      track.finish()
    },
  }
}
