import type { ImageSource } from '@mediamill/media/plan/image'
import type { Image } from '../../sharp/image.ts'

/** The timing of an animation. `delays` are in milliseconds. `loop` is the number of repetitions, 0 for endless. */
export type Timing = { delays: number[]; loop: number }

export const STILL: Timing = { delays: [], loop: 0 }

export type OpenedSource = {
  source: ImageSource
  timing: Timing
  image: (animated: boolean) => Promise<Image>
  /**
   * Throws if the file is truncated. Needed because decoding only a part of an image does not detect a truncated file.
   */
  rejectCutOff: () => void
}
