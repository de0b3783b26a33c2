import type { ImageSource } from '@mediamill/media/plan/image'
import type { Picture } from '../../sharp/picture.ts'

/** The duration of each frame in milliseconds, and the number of repetitions (0 for infinite). */
export type Timing = { delays: number[]; loop: number }

export const STILL: Timing = { delays: [], loop: 0 }

export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** The image to decode: all frames of an animation, or the first. */
  picture: (animated: boolean) => Promise<Picture>
  /** Throws `RequestFailure` for a truncated file, if decoding a part of it would not detect it. */
  refuseCutOff: () => void
}
