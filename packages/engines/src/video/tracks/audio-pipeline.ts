import type { Frame, Stream } from 'node-av/lib'
import { avGetCodecName } from 'node-av/lib'
import { isCopiedAudio } from '../libav/codecs.ts'
import { Decoder } from '../libav/decoder.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { AudioTrack } from './audio-track.ts'
import { CopiedTrack } from './copied-track.ts'
import type { TrackPipeline } from './pump.ts'

type AudioPipelineOptions = {
  media: Media
  writer: Mp4Writer
  maxSeconds: number | undefined
  /** Whether to copy audio that MP4 players support. */
  isCopied: boolean
  tracks: DisposableStack
  frame: Frame
}

export async function openAudioPipeline(stream: Stream, options: AudioPipelineOptions): Promise<TrackPipeline> {
  const { media, writer, maxSeconds, isCopied, tracks, frame } = options
  const { startUs } = media
  if (isCopied && isCopiedAudio(avGetCodecName(stream.codecpar.codecId) ?? '')) {
    const track = new CopiedTrack(stream, startUs, { writer, track: 'audio', maxSeconds })
    return { sink: { put: (packet) => track.write(packet), isComplete: () => track.isComplete }, end() {} }
  }
  const decoder = tracks.use(await Decoder.open('audio', stream, { threads: 1, maxPixels: 0 }))
  const track = tracks.use(new AudioTrack({ stream, startUs, maxSeconds, writer }))
  const take = (decoded: Frame) => track.put(decoded)
  return {
    sink: { put: (packet) => decoder.decode(packet, frame, take), isComplete: () => track.isComplete },
    end() {
      decoder.decode(null, frame, take)
      track.finish()
    },
  }
}
