import { setImmediate as nextTurn } from 'node:timers/promises'
import { AV_NOPTS_VALUE, AV_PKT_FLAG_KEY } from 'node-av/constants'
import { avRescaleQ } from 'node-av/lib'
import { MICROSECONDS, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { readPacket, streamsOf } from '../libav/media.ts'
import { TrackChanges } from '../libav/track-changes.ts'
import { correctTimes, MAX_TRACK_GAP_SECONDS } from '../tracks/pump.ts'
import { Timeline } from '../tracks/timeline.ts'
import type { CutTargets, FoundCut } from './find-cuts.ts'
import { CutPicker, countSegments } from './find-cuts.ts'

type Scan = { keyframes: Keyframe[]; seconds: number }
type Keyframe = { time: bigint; start: ReadingStart; jumpSeconds: number | undefined }
/**
 * Where to start reading. `jumpSeconds` corrects all times after the byte offset `byteOffset`. `jumpSeconds` is
 * `undefined` if the streams need different corrections.
 */
type ReadingStart = { byteOffset: number; jumpSeconds: number | undefined }

// The first packets after a seek may contain the rest of an earlier frame, which would get a wrong time.
const PACKETS_BEFORE = 2

const PACKETS_PER_YIELD = 2000

/** Finds the keyframes of a file without an index. Reads all packets, without decoding. */
export async function scan(media: Media, maxSeconds: number | undefined): Promise<Scan> {
  const { video } = media
  const streams = streamsOf(media)
  const start = avRescaleQ(media.startUs, MICROSECONDS, video.timeBase)
  const timeline = new Timeline({ jumps: media.isStream })
  const changes = new TrackChanges(media)
  const keyframes: Keyframe[] = []
  const starts: ReadingStart[] = []
  let seconds = 0
  using packet = newPacket()
  for (let packets = 1; ; packets += 1) {
    const read = await readPacket(media, packet)
    if (read < 0) break
    changes.check(packet, seconds)
    const stream = streams.get(packet.streamIndex)
    if (stream !== undefined) {
      const reached = correctTimes(packet, stream, timeline, media)
      if (stream === video) {
        seconds = Math.max(seconds, reached)
        const jumpSeconds = timeline.agreedOffset
        // A packet without an offset starts within another packet, so it gets the offset of that packet.
        const byteOffset = packet.pos < 0n ? (starts.at(-1)?.byteOffset ?? -1) : Number(packet.pos)
        starts.push({ byteOffset, jumpSeconds })
        if (starts.length > PACKETS_BEFORE + 1) starts.shift()
        const [first] = starts
        if (packet.hasFlags(AV_PKT_FLAG_KEY) && packet.pts !== AV_NOPTS_VALUE && first !== undefined) {
          keyframes.push({ time: packet.pts - start, start: first, jumpSeconds })
        }
      }
    }
    packet.unref()
    if (maxSeconds !== undefined && seconds > maxSeconds + MAX_TRACK_GAP_SECONDS) break
    if (packets % PACKETS_PER_YIELD === 0) await nextTurn()
  }
  changes.checkEnd(seconds)
  return { keyframes, seconds }
}

export function chooseCuts(media: Media, { keyframes }: Scan, goal: CutTargets): FoundCut[] {
  const picker = new CutPicker(media.video.timeBase, goal)
  if (countSegments(goal) < 2) return []
  for (const target of picker.targets) {
    const index = keyframes.findLastIndex(({ time }) => time <= target)
    for (let back = 0; back < KEYFRAMES_BACK; back += 1) {
      const [before, at] = [keyframes[index - back - 1], keyframes[index - back]]
      if (before === undefined || at === undefined || !isCut(before, at)) continue
      const { byteOffset, jumpSeconds = 0 } = before.start
      picker.offer({ time: at.time, byteOffset, jumpSeconds })
      break
    }
  }
  return picker.cuts
}

// Times may jump shortly before a keyframe, so several keyframes before a target are tried.
const KEYFRAMES_BACK = 4

/**
 * Returns whether the keyframe `at` can be a cut. Reading starts at the keyframe before `at`. Times must not jump
 * between the two keyframes.
 */
const isCut = ({ start, jumpSeconds, time }: Keyframe, at: Keyframe): boolean =>
  start.byteOffset >= 0 &&
  start.jumpSeconds !== undefined &&
  start.jumpSeconds === jumpSeconds &&
  jumpSeconds === at.jumpSeconds &&
  time < at.time
