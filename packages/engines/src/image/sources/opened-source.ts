import type { ImageSource } from '@mediamill/media/plan/image'
import type { Image } from '../../sharp/image.ts'

/** `delays` holds the duration of each frame in milliseconds. `loop` is the number of repetitions, 0 for infinite. */
export type Timing = { delays: number[]; loop: number }

export const STILL: Timing = { delays: [], loop: 0 }

export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** Returns the image to decode: all frames if `animated`, otherwise the first frame. */
  image: (animated: boolean) => Promise<Image>
  /** Throws `RequestFailure` for a truncated file, if decoding only a part of the file would not detect it. */
  rejectCutOff: () => void
}
