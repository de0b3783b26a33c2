import { AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { FormatContext, Stream } from 'node-av/lib'
import { WHITELIST_WITHOUT_H264 } from './codecs.ts'
import { readH264Header } from './h264-header.ts'
import { check } from './libav.ts'

/** Makes libav use a complete H.264 header, so that it does not decode up to seven frames. */
export function takeHeader(context: FormatContext): { complete: () => void } | undefined {
  const videoStreams = context.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  const [video] = videoStreams
  if (context.iformat?.name?.startsWith('mov') !== true || video === undefined || videoStreams.length > 1)
    return undefined
  // The header of a fragmented MP4 does not count the frames. libav must decode frames of such a file.
  const header = video.nbFrames > 0n ? headerOf(video) : undefined
  if (header === undefined) return undefined
  const { videoDelay } = video.codecpar
  check(context.setOption('codec_whitelist', WHITELIST_WITHOUT_H264), 'leave out a decoder')
  return {
    complete() {
      const { codecpar } = video
      codecpar.sampleAspectRatio = header.sampleAspectRatio as typeof codecpar.sampleAspectRatio
      // The index has the exact number of reordered frames. Without a decoder, libav assumes fewer.
      codecpar.videoDelay = Math.max(videoDelay, codecpar.videoDelay)
    },
  }
}

function headerOf({ codecpar }: Stream): ReturnType<typeof readH264Header> {
  const { codecId, codecTagString, extradata, width, height } = codecpar
  // In the format `avc3`, each frame may have its own header.
  if (codecId !== AV_CODEC_ID_H264 || codecTagString !== 'avc1' || extradata === null) return undefined
  const header = readH264Header(extradata)
  return header?.width === width && header.height === height ? header : undefined
}
