import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import type { SegmentBounds } from '../tracks/segment-window.ts'

/** Returns the bounds of a segment. `index` counts only segments with video. */
export function boundsOf({ cuts }: SegmentsPlan, index: number): SegmentBounds {
  const ticks = (cut: number | undefined) => (cut === undefined ? undefined : BigInt(cut))
  return { from: index === 0 ? undefined : ticks(cuts[index - 1]), until: ticks(cuts[index]) }
}

export function jumpSecondsOf({ jumps }: SegmentsPlan, index: number): number {
  return jumps.findLast(({ cut }) => cut < index)?.seconds ?? 0
}

type Stretching = Pick<SegmentsPlan, 'cuts' | 'time_base' | 'seconds'> & {
  encoder: Pick<SegmentsPlan['encoder'], 'rate'>
}

/** The maximum number of frames between keyframes in a short video: the default of libx264. */
const GROUP_FRAMES = 250

/** The maximum number of frames between keyframes in any video, because players seek to keyframes. */
const LONGEST_GROUP_FRAMES = 2 * GROUP_FRAMES

/**
 * The minimum number of frames between keyframes. With fewer, the headers that libx264 writes would differ between
 * segments.
 */
const MIN_GROUP_FRAMES = 4

export function groupOf(
  { cuts, time_base: { num, den }, seconds, encoder: { rate } }: Stretching,
  index: number,
): number {
  const frames = (second: number) => (second * rate.num) / rate.den
  const end = cuts[index]
  const from = frames(((cuts[index - 1] ?? 0) * num) / den)
  const until = frames(end === undefined ? seconds : (end * num) / den)
  const keyframes = Math.max(1, Math.round(until / GROUP_FRAMES) - Math.round(from / GROUP_FRAMES))
  // A margin for additional frames, which would otherwise start another group.
  const frameCount = Math.ceil((1.02 * (until - from)) / keyframes) + 1
  return Math.max(MIN_GROUP_FRAMES, Math.min(LONGEST_GROUP_FRAMES, frameCount))
}
