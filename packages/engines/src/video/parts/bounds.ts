import type { PartsPlan } from '@mediamill/media/plan/video-parts'
import type { PartBounds } from '../tracks/part-window.ts'

/** Where the pictures of a part begin and end. `index` counts the parts of the picture alone. */
export function boundsOf({ cuts }: PartsPlan, index: number): PartBounds {
  const ticks = (cut: number | undefined) => (cut === undefined ? undefined : BigInt(cut))
  return { from: index === 0 ? undefined : ticks(cuts[index - 1]), until: ticks(cuts[index]) }
}

/** What times are put right by where reading begins for a part, in seconds. */
export function jumpSecondsOf({ jumps }: PartsPlan, index: number): number {
  return jumps.findLast(({ cut }) => cut < index)?.seconds ?? 0
}

/** What the groups of a video's parts depend on. */
type Stretching = Pick<PartsPlan, 'cuts' | 'time_base' | 'seconds'> & { encoder: Pick<PartsPlan['encoder'], 'rate'> }

/** The most frames of a group in a short video: libx264's own. */
const GROUP_FRAMES = 250

/** No group is longer than this, however it adds up: players look for a moment in steps of groups. */
const LONGEST_GROUP_FRAMES = 2 * GROUP_FRAMES

/** libx264 puts fewer frames between others where groups are shorter, and writes another header. All parts have one. */
const LEAST_GROUP_FRAMES = 4

/**
 * How many frames the groups of a part have at most. All parts together have as many keyframes as one piece.
 *
 * With groups of one length each part would end amid one, and a picture that stands still is little but its keyframes.
 */
export function groupOf(
  { cuts, time_base: { num, den }, seconds, encoder: { rate } }: Stretching,
  index: number,
): number {
  const frames = (second: number) => (second * rate.num) / rate.den
  const end = cuts[index]
  const from = frames(((cuts[index - 1] ?? 0) * num) / den)
  const until = frames(end === undefined ? seconds : (end * num) / den)
  const keyframes = Math.max(1, Math.round(until / GROUP_FRAMES) - Math.round(from / GROUP_FRAMES))
  // A frame more than was counted would be a keyframe of its own.
  const frameCount = Math.ceil((1.02 * (until - from)) / keyframes) + 1
  return Math.max(LEAST_GROUP_FRAMES, Math.min(LONGEST_GROUP_FRAMES, frameCount))
}
