import { availableParallelism } from 'node:os'
import type { Frame, Stream } from 'node-av/lib'
import type { EngineJob } from '../protocol/messages.ts'
import { displayedSizeOf } from './facts.ts'
import { Decoder } from './libav/decoder.ts'
import { damaged } from './libav/failures.ts'
import type { Media } from './libav/media.ts'
import { openMedia } from './libav/media.ts'
import { Mp4Writer } from './libav/mp4-writer.ts'
import { newFrame } from './libav/new-frame.ts'
import { CopiedTrack } from './tracks/copied-track.ts'
import type { Drawing } from './tracks/picture-graph.ts'
import type { Stretches } from './tracks/picture-track.ts'
import { PictureTrack } from './tracks/picture-track.ts'
import type { Lane } from './tracks/pump.ts'
import { pump } from './tracks/pump.ts'
import { soundLane } from './tracks/sound-lane.ts'

/** How a result is made: what of the source is copied packet by packet. */
export type Copying = { picture: boolean; sound: boolean }

export type Making = {
  copying: Copying
  drawing: Drawing
  maxSeconds: number | undefined
  /** How a long video is coded as its parts would be. */
  stretches: Stretches | undefined
  /** Called with the share of the work that is done, 0 to 1. */
  onShare: (share: number) => void
}

// More threads than these bring little, and each holds frames.
const MAX_THREADS = 8

/** Threads that decoder, filters and encoder have each. */
export const threadCount = () => Math.min(MAX_THREADS, availableParallelism())

/** What the lanes of one video share. */
type Shop = Making & { job: EngineJob; media: Media; writer: Mp4Writer; frame: Frame; tracks: DisposableStack }

/**
 * Reads the job's source once from beginning to end and writes the result.
 *
 * Throws `RequestFailure` for what is the file's fault, and `NotCopied` or `LibavError` where what was to be copied cannot be.
 */
export async function makeVideo(job: EngineJob, output: string, making: Making): Promise<void> {
  const { copying, maxSeconds, onShare } = making
  await using media = await openMedia(job.input)
  const { video, audio, durationSeconds = Number.POSITIVE_INFINITY } = media
  await using writer = new Mp4Writer(output, audio === undefined ? ['picture'] : ['picture', 'sound'])
  using frame = newFrame()
  using tracks = new DisposableStack()
  const shop: Shop = { ...making, job, media, writer, frame, tracks }

  const lanes = new Map<Stream, Lane>([[video, await pictureLane(shop)]])
  if (audio !== undefined) lanes.set(audio, await soundLane(audio, { ...shop, isCopied: copying.sound }))
  const sinks = new Map([...lanes].map(([stream, { sink }]) => [stream, sink]))
  const wantedSeconds = maxSeconds === undefined || maxSeconds > durationSeconds ? undefined : maxSeconds
  await pump({ media, writer, sinks, maxResultBytes: job.limits.maxResultBytes, onShare, wantedSeconds })
  for (const { end } of lanes.values()) end()
  await writer.finish()
}

async function pictureLane(shop: Shop): Promise<Lane> {
  const { copying, drawing, job, maxSeconds, stretches, media, writer, frame, tracks } = shop
  if (copying.picture) {
    const track = new CopiedTrack(media.video, media.startUs, { writer, track: 'picture' })
    return { sink: { put: (packet) => track.write(packet), isComplete: () => false }, end() {} }
  }
  const threads = threadCount()
  const limits = { threads, maxPixels: job.limits.maxFramePixels }
  const decoder = tracks.use(await Decoder.open('picture', media.video, limits))
  const displayed = displayedSizeOf(media)
  const track = tracks.use(new PictureTrack({ media, displayed, drawing, writer, threads, maxSeconds, stretches }))
  const take = (decoded: Frame) => track.put(decoded)
  return {
    sink: { put: (packet) => decoder.decode(packet, frame, take), isComplete: () => track.isComplete },
    end() {
      decoder.decode(null, frame, take)
      if (decoder.frames === 0 || decoder.failures > decoder.frames) {
        throw damaged(new Error(`${decoder.frames} frames decoded, ${decoder.failures} packets not`))
      }
      track.finish()
    },
  }
}
