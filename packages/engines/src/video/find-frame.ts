import { AV_NOPTS_VALUE, AVDISCARD_ALL, AVSEEK_FLAG_BACKWARD, AVSEEK_FLAG_BYTE } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import { canSkipFrames, decodeUntil, skipNonReferenceFrames } from './decode-until.ts'
import { Decoder } from './libav/decoder.ts'
import { damaged } from './libav/failures.ts'
import { MICROSECONDS, newFrame } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { frameRateOf } from './tracks/h264.ts'

// Transport and program streams seek by byte, possibly past the wanted time. Then seek this many seconds earlier.
const BACK_SECONDS = [0, 2, 6, 15, 40, 120]

/** Finds the last frame at or before a time, or else the first frame. Throws if no frame can be decoded. */
export async function findFrame(media: Media, seconds: number, maxPixels: number): Promise<Frame> {
  const { video, audio, context } = media
  if (audio !== undefined) audio.discard = AVDISCARD_ALL
  const origin = originOf(media)
  const targetTime = origin + avRescaleQ(BigInt(seconds) * 1_000_000n, MICROSECONDS, video.timeBase) + media.frameDelay
  const openDecoder = () => Decoder.open('video', video, { threads: 1, maxPixels })
  using found = newFrame()
  const seek = async (target: bigint) => (await context.seekFrame(video.index, target, AVSEEK_FLAG_BACKWARD)) >= 0
  if (canSkipFrames(media)) {
    using skipping = await openDecoder()
    if ((await seek(targetTime)) && (await skipNonReferenceFrames(media, skipping, targetTime, found)))
      return referenceTo(found)
  }
  // A flush would not reset the times and the order of frames.
  using decoder = await openDecoder()
  for (const back of BACK_SECONDS) {
    const target = targetTime - avRescaleQ(BigInt(back) * 1_000_000n, MICROSECONDS, video.timeBase)
    if (target <= origin) break
    const hasSeeked = await seek(target)
    decoder.flush()
    if (!hasSeeked) continue
    const time = await decodeUntil(media, decoder, targetTime, found)
    if (time !== undefined && time <= targetTime) return referenceTo(found)
  }
  await rewind(media)
  decoder.flush()
  if ((await decodeUntil(media, decoder, targetTime, found)) !== undefined) return referenceTo(found)
  throw damaged(new Error(`no frame could be decoded at ${seconds} s`))
}

/**
 * Returns when playback starts, in ticks of the video. Audio that starts slightly before the first frame is encoder
 * delay, so playback starts at the frame.
 */
function originOf(media: Media): bigint {
  const { video, startUs } = media
  const start = avRescaleQ(startUs, MICROSECONDS, video.timeBase)
  const first = video.startTime
  const { num, den } = frameRateOf(media)
  const frame = avRescaleQ(1n, { num: den, den: num }, video.timeBase)
  return first !== AV_NOPTS_VALUE && first > start && first - start < frame ? first : start
}

async function rewind({ context, video, isStream }: Media): Promise<void> {
  const first = video.startTime === AV_NOPTS_VALUE ? 0n : video.startTime
  if (!isStream) {
    if ((await context.seekFrame(video.index, first, AVSEEK_FLAG_BACKWARD)) >= 0) return
  }
  await context.seekFrame(-1, 0n, AVSEEK_FLAG_BYTE)
}

function referenceTo(found: Frame): Frame {
  const frame = newFrame()
  frame.ref(found)
  return frame
}
