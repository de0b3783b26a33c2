import type { PartsPlan } from '../../../media/plan/video-parts.ts'
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
