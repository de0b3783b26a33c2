import { AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { FormatContext, Stream } from 'node-av/lib'
import { WHITELIST_WITHOUT_H264 } from './codecs.ts'
import { readH264Header } from './h264-header.ts'
import { check } from './libav.ts'

/**
 * Has libav believe the header of an MP4 in H.264, where it tells all.
 *
 * Else libav would decode the first picture, which costs as much as the one that is wanted, and up to six more. `undefined` when
 * it has to; otherwise `complete` fills in what it would have learnt.
 */
export function takeHeader(context: FormatContext): { complete: () => void } | undefined {
  const pictures = context.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  const [picture] = pictures
  if (context.iformat?.name?.startsWith('mov') !== true || picture === undefined || pictures.length > 1)
    return undefined
  // An MP4 in fragments counts none in its header.
  const header = picture.nbFrames > 0n ? headerOf(picture) : undefined
  if (header === undefined) return undefined
  const { videoDelay } = picture.codecpar
  check(context.setOption('codec_whitelist', WHITELIST_WITHOUT_H264), 'leave out a decoder')
  return {
    complete() {
      const { codecpar } = picture
      codecpar.sampleAspectRatio = header.sampleAspectRatio as typeof codecpar.sampleAspectRatio
      // How many pictures come before their turn is counted over all of the index; without a decoder libav guesses less.
      codecpar.videoDelay = Math.max(videoDelay, codecpar.videoDelay)
    },
  }
}

/** What the coding's own header tells; `undefined` unless the file's says the same of its size. */
function headerOf({ codecpar }: Stream): ReturnType<typeof readH264Header> {
  const { codecId, codecTagString, extradata, width, height } = codecpar
  // Of `avc3` each picture may bring a header of its own.
  if (codecId !== AV_CODEC_ID_H264 || codecTagString !== 'avc1' || extradata === null) return undefined
  const header = readH264Header(extradata)
  return header?.width === width && header.height === height ? header : undefined
}
