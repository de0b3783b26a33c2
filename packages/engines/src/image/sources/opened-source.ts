import type { ImageSource } from '@mediamill/media/plan/image'
import type { Picture } from '../../sharp/picture.ts'

/** How an animation plays. It has the milliseconds of each frame, and how often it repeats (0 for ever). */
export type Timing = { delays: number[]; loop: number }

/** How a picture plays that does not move. */
export const STILL: Timing = { delays: [], loop: 0 }

/** A source whose header is read and whose pixels are not. */
export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** The picture to decode: all frames of an animation, or the first alone. */
  picture: (animated: boolean) => Promise<Picture>
  /** Throws `RequestFailure` for a file that ends before its picture does, where decoding a part of it would not find out. */
  refuseCutOff: () => void
}
