import type { EngineResult, JobOf } from '../protocol/messages.ts'
import type { CallWorker } from '../protocol/serve.ts'
import type { Media } from './libav/media.ts'
import { readMetadata } from './metadata.ts'
import { withMedia } from './with-media.ts'

export async function readVideo(
  job: JobOf<'videos/read'>,
  _report: unknown,
  callWorker: CallWorker,
): Promise<EngineResult<'videos/read'>> {
  const buildResult = async (media: Media) => {
    const { audio, turn } = media
    const data = {
      ...(await readMetadata(media)),
      rotation: turn.degrees,
      audio_channels: audio === undefined ? null : audio.codecpar.channels,
      audio_sample_rate: audio === undefined ? null : audio.codecpar.sampleRate,
    }
    return { data, files: [], units: 1 }
  }
  return await withMedia(job.input, callWorker, buildResult, { isHeaderEnough: true })
}
