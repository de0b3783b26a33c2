import {
  AV_PIX_FMT_YUVA420P,
  AV_PIX_FMT_YUVA444P,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
} from 'node-av/constants'
import { Frame } from 'node-av/lib'
import type { RawPicture } from '../image/raw-picture.ts'
import type { Ground, Matrix } from './normalize.ts'

/** A drawing that is laid over every frame at x, y: both even, and the picture's sides too where the frame's are. */
export type DrawnOverlay = { name: string; x: number; y: number; picture: RawPicture }

const SPACES = { bt709: AVCOL_SPC_BT709, smpte170m: AVCOL_SPC_SMPTE170M, bt470bg: AVCOL_SPC_BT470BG } as const

/** The drawing as a frame in the colours that the video is in, so that nothing is converted while frames run. */
export function overlayFrame({ picture }: DrawnOverlay, { matrix, pixels }: Pick<Ground, 'matrix' | 'pixels'>): Frame {
  const isHalf = pixels === 'yuv420p'
  const { width, height } = picture
  const frame = Frame.fromVideoBuffer(overlayPlanes(picture, matrix, isHalf), {
    width,
    height,
    format: isHalf ? AV_PIX_FMT_YUVA420P : AV_PIX_FMT_YUVA444P,
    sampleAspectRatio: { num: 1, den: 1 },
    pts: 0n,
  })
  frame.colorRange = AVCOL_RANGE_MPEG
  frame.colorSpace = SPACES[matrix]
  return frame
}

// ITU-R BT.709 and BT.601: the shares of red and blue in brightness.
const SHARES: Record<Matrix, { red: number; blue: number }> = {
  bt709: { red: 0.2126, blue: 0.0722 },
  smpte170m: { red: 0.299, blue: 0.114 },
  bt470bg: { red: 0.299, blue: 0.114 },
}

/**
 * Brightness, two colour planes and alpha, one after the other, in the range of television.
 *
 * Where one colour sample stands for four pixels it is their mean weighted by alpha: transparent ones have no colour,
 * and would tint the edges of a mark.
 */
export function overlayPlanes({ data, width, height }: RawPicture, matrix: Matrix, isHalf: boolean): Buffer {
  const { red, blue } = SHARES[matrix]
  const pixels = width * height
  const step = isHalf ? 2 : 1
  const chromaWidth = Math.ceil(width / step)
  const chromaPixels = chromaWidth * Math.ceil(height / step)
  const planes = Buffer.alloc(2 * pixels + 2 * chromaPixels, 128)
  const alphaAt = pixels + 2 * chromaPixels
  const brightness = (at: number) =>
    red * (data[at] ?? 0) + (1 - red - blue) * (data[at + 1] ?? 0) + blue * (data[at + 2] ?? 0)

  for (let pixel = 0; pixel < pixels; pixel += 1) {
    planes[pixel] = Math.round(16 + (brightness(pixel * 4) * 219) / 255)
    planes[alphaAt + pixel] = data[pixel * 4 + 3] ?? 0
  }
  for (let top = 0; top < height; top += step) {
    for (let left = 0; left < width; left += step) {
      let weight = 0
      let blueness = 0
      let redness = 0
      for (let y = top; y < Math.min(top + step, height); y += 1) {
        for (let x = left; x < Math.min(left + step, width); x += 1) {
          const at = (y * width + x) * 4
          const alpha = data[at + 3] ?? 0
          weight += alpha
          blueness += alpha * ((data[at + 2] ?? 0) - brightness(at))
          redness += alpha * ((data[at] ?? 0) - brightness(at))
        }
      }
      if (weight === 0) continue
      const chroma = pixels + (top / step) * chromaWidth + left / step
      planes[chroma] = Math.round(128 + ((blueness / weight / (2 - 2 * blue)) * 224) / 255)
      planes[chroma + chromaPixels] = Math.round(128 + ((redness / weight / (2 - 2 * red)) * 224) / 255)
    }
  }
  return planes
}
