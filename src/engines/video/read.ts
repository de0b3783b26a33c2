import type { EngineFile, EngineResult, JobOf } from '../protocol/messages.ts'
import type { AskWorker } from '../protocol/serve.ts'
import { readFacts } from './facts.ts'
import { openByteSource } from './libav/byte-source.ts'
import type { Media } from './libav/media.ts'
import { openMedia } from './libav/media.ts'

/** Tells the facts of a video without decoding it: the task `videos/read`. */
export async function readVideo(
  job: JobOf<'videos/read'>,
  _report: unknown,
  ask: AskWorker,
): Promise<EngineResult<'videos/read'>> {
  return await withMedia(job.input, ask, async (media) => {
    const { audio, turn } = media
    const data = {
      ...(await readFacts(media)),
      rotation: turn.degrees,
      audio_channels: audio === undefined ? null : audio.codecpar.channels,
      audio_sample_rate: audio === undefined ? null : audio.codecpar.sampleRate,
    }
    return { data, files: [], units: 1 }
  })
}

/** Opens a file, whole or in parts, for as long as `use` runs. */
export async function withMedia<T>(file: EngineFile, ask: AskWorker, use: (media: Media) => Promise<T>): Promise<T> {
  if (file.presentBytes === undefined) {
    await using media = await openMedia(file)
    return await use(media)
  }
  await using source = await openByteSource(file, ask)
  await using media = await openMedia(file, source.io)
  return await use(media)
}
