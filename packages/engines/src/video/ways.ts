import { LibavError } from './libav/libav.ts'
import type { Copying } from './make-video.ts'
import { NotCopied } from './tracks/copied-track.ts'
import { NotCut } from './tracks/part-window.ts'
import type { Stretches } from './tracks/picture-track.ts'

/** A way to make a video. Without `stretches` it is coded from beginning to end. */
export type Way = { copying: Copying; stretches: Stretches | undefined }

/** From the cheapest, which keeps the most of the source, to the one that always works. */
const COPYINGS: readonly Copying[] = [
  { picture: true, sound: true },
  { picture: false, sound: true },
  { picture: false, sound: false },
]

/** The ways to try, one after the other. */
export function waysOf(isCopied: boolean, stretches: Stretches | undefined): Way[] {
  const copyings = COPYINGS.filter(({ picture }) => !picture || isCopied)
  const coded = stretches === undefined ? [undefined] : [stretches, undefined]
  return coded.flatMap((stretches) => copyings.map((copying) => ({ copying, stretches })))
}

/** Makes a video by the first way that does not refuse it. Where all do, the last refusal is thrown. */
export async function makeByFirst(ways: readonly Way[], make: (way: Way) => Promise<void>): Promise<void> {
  const [way, ...others] = ways
  if (way === undefined) throw new Error('there is no way to make a video')
  try {
    await make(way)
  } catch (error) {
    const left = waysAfter(error, others)
    if (left.length === 0) throw error
    await makeByFirst(left, make)
  }
}

function waysAfter(error: unknown, others: Way[]): Way[] {
  // How the sound is made changes nothing about it.
  if (error instanceof NotCut) return others.filter(({ stretches }) => stretches === undefined)
  // A muxer that refuses what it was to copy says so in its own way.
  return error instanceof NotCopied || error instanceof LibavError ? others : []
}
