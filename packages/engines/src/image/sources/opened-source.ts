import type { ImageSource } from '@mediamill/media/plan/image'
import type { Image } from '../../sharp/image.ts'

/**
 * The duration of each frame in milliseconds, and the number of repetitions. 0 repetitions mean an endless animation.
 */
export type Timing = { delays: number[]; loop: number }

export const STILL: Timing = { delays: [], loop: 0 }

export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** Returns the image: all frames if `animated`, otherwise the first frame. */
  image: (animated: boolean) => Promise<Image>
  /** Throws `RequestFailure` if the file is truncated, which decoding only a part of the image would not detect. */
  rejectCutOff: () => void
}
