import { AV_NOPTS_VALUE, AV_PKT_FLAG_KEY, AVDISCARD_ALL, AVSEEK_FLAG_BACKWARD } from 'node-av/constants'
import { avRescaleQ } from 'node-av/lib'
import { MICROSECONDS, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { readPacket } from '../libav/media.ts'

/** The time of a keyframe in ticks from the start of playback. */
export type FoundCut = {
  time: bigint
  /** The byte offset at which to start reading, only if the file has no index. */
  byteOffset?: number
  jumpSeconds: number
}

export type CutTargets = { seconds: number; segmentSeconds: number; maxSegments: number }

export const countSegments = ({ seconds, segmentSeconds, maxSegments }: CutTargets): number =>
  Math.min(maxSegments, Math.floor(seconds / segmentSeconds + 1e-9))

const MAX_PACKETS = 1000

/** Finds about one keyframe per `segmentSeconds` in the index. Returns no keyframes if the index is not usable. */
export async function findCuts(media: Media, goal: CutTargets): Promise<FoundCut[]> {
  const { video, audio, context } = media
  if (audio !== undefined) audio.discard = AVDISCARD_ALL
  const start = avRescaleQ(media.startUs, MICROSECONDS, video.timeBase)
  const picker = new CutPicker(video.timeBase, goal)
  for (const target of picker.targets) {
    if ((await context.seekFrame(video.index, start + target, AVSEEK_FLAG_BACKWARD)) < 0) return []
    const found = await nextKeyframe(media)
    if (found !== undefined) picker.offer({ time: found - start, jumpSeconds: 0 })
  }
  return picker.cuts
}

async function nextKeyframe(media: Media): Promise<bigint | undefined> {
  using packet = newPacket()
  for (let packets = 0; packets < MAX_PACKETS; packets += 1) {
    const read = await readPacket(media, packet)
    if (read < 0) return undefined
    const { streamIndex, pts, dts } = packet
    const isKey = packet.hasFlags(AV_PKT_FLAG_KEY)
    packet.unref()
    if (streamIndex !== media.video.index) continue
    const time = pts === AV_NOPTS_VALUE ? dts : pts
    return isKey && time !== AV_NOPTS_VALUE ? time : undefined
  }
  return undefined
}

/** Chooses keyframes so that segments have similar lengths. Pass keyframes in order of time. */
export class CutPicker {
  readonly cuts: FoundCut[] = []
  readonly targets: readonly bigint[]
  readonly #minTicks: bigint
  readonly #end: bigint

  /** `num / den` is the duration of a tick in seconds. */
  constructor({ num, den }: { num: number; den: number }, goal: CutTargets) {
    const ticks = (seconds: number) => BigInt(Math.round((seconds * den) / num))
    const segments = countSegments(goal)
    const each = goal.seconds / segments
    this.targets = Array.from({ length: Math.max(0, segments - 1) }, (_, index) => ticks((index + 1) * each))
    this.#minTicks = ticks(each / 2)
    this.#end = ticks(goal.seconds)
  }

  offer(cut: FoundCut): void {
    const last = this.cuts.at(-1)?.time ?? 0n
    if (cut.time - last >= this.#minTicks && this.#end - cut.time >= this.#minTicks) this.cuts.push(cut)
  }
}
