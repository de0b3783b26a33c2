import { LibavError } from './libav/libav.ts'
import type { Copying } from './make-video.ts'
import { NotCopiedError } from './tracks/copied-track.ts'
import { PlanMismatchError } from './tracks/segment-window.ts'
import type { Stretches } from './tracks/video-track.ts'

/** How to make a result. Without `stretches`, the whole video is encoded in one run. */
export type EncodeStrategy = { copying: Copying; stretches: Stretches | undefined }

/** Which tracks to copy. The first strategy is the cheapest, and the last always works. */
const COPYINGS: readonly Copying[] = [
  { video: true, audio: true },
  { video: false, audio: true },
  { video: false, audio: false },
]

export function encodeStrategies(isCopied: boolean, stretches: Stretches | undefined): EncodeStrategy[] {
  const copyings = COPYINGS.filter(({ video }) => !video || isCopied)
  const coded = stretches === undefined ? [undefined] : [stretches, undefined]
  return coded.flatMap((stretches) => copyings.map((copying) => ({ copying, stretches })))
}

export async function encodeWithFallback(
  strategies: readonly EncodeStrategy[],
  make: (strategy: EncodeStrategy) => Promise<void>,
): Promise<void> {
  const [strategy, ...others] = strategies
  if (strategy === undefined) throw new Error('the list of encoding strategies is empty')
  try {
    await make(strategy)
  } catch (error) {
    const left = strategiesAfter(error, others)
    if (left.length === 0) throw error
    await encodeWithFallback(left, make)
  }
}

function strategiesAfter(error: unknown, others: EncodeStrategy[]): EncodeStrategy[] {
  // With the same stretches, a strategy that copies fewer tracks would fail in the same way.
  if (error instanceof PlanMismatchError) return others.filter(({ stretches }) => stretches === undefined)
  // `LibavError` may mean that the muxer rejects a copied packet.
  return error instanceof NotCopiedError || error instanceof LibavError ? others : []
}
