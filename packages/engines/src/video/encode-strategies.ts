import { LibavError } from './libav/libav.ts'
import type { Copying } from './make-video.ts'
import { NotCopiedError } from './tracks/copied-track.ts'
import { NotCut } from './tracks/part-window.ts'
import type { Stretches } from './tracks/video-track.ts'

/** A way to make a video. Without `stretches`, the video is encoded from start to end in one run. */
export type EncodeStrategy = { copying: Copying; stretches: Stretches | undefined }

/** The tracks that each strategy copies. Ordered from the cheapest strategy to the strategy that always works. */
const COPYINGS: readonly Copying[] = [
  { picture: true, sound: true },
  { picture: false, sound: true },
  { picture: false, sound: false },
]

export function encodeStrategies(isCopied: boolean, stretches: Stretches | undefined): EncodeStrategy[] {
  const copyings = COPYINGS.filter(({ picture }) => !picture || isCopied)
  const coded = stretches === undefined ? [undefined] : [stretches, undefined]
  return coded.flatMap((stretches) => copyings.map((copying) => ({ copying, stretches })))
}

/** Tries the strategies in order until one succeeds. If all fail, throws the last error. */
export async function encodeWithFallback(
  ways: readonly EncodeStrategy[],
  make: (way: EncodeStrategy) => Promise<void>,
): Promise<void> {
  const [way, ...others] = ways
  if (way === undefined) throw new Error('no strategy to make the video')
  try {
    await make(way)
  } catch (error) {
    const left = waysAfter(error, others)
    if (left.length === 0) throw error
    await encodeWithFallback(left, make)
  }
}

function waysAfter(error: unknown, others: EncodeStrategy[]): EncodeStrategy[] {
  // Encoding the audio would not fix this error.
  if (error instanceof NotCut) return others.filter(({ stretches }) => stretches === undefined)
  // The muxer may reject a copied packet with a `LibavError`.
  return error instanceof NotCopiedError || error instanceof LibavError ? others : []
}
