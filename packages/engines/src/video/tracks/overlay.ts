import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUVA444P, AVCOL_RANGE_MPEG } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import type { Matrix } from '../color/frame-shape.ts'
import type { Pixels } from '../libav/filter-text.ts'
import { imageFrame } from '../libav/image-frame.ts'
import { COLORS } from './h264.ts'

export type DrawnOverlay = { name: string; pixels: Pixels; image: RawImage }

/** Converts a drawing to the color space of the video, so that the video's frames need no conversion. */
export function overlayFrame({ image, pixels }: DrawnOverlay, matrix: Matrix): Frame {
  const isHalf = pixels === 'yuv420p'
  const { width, height } = image
  const chroma = isHalf ? Math.ceil(width / 2) : width
  const [luma, blueDifference, redDifference, alpha] = overlayPlanes(image, matrix, isHalf)
  const frame = imageFrame({ width, height }, isHalf ? AV_PIX_FMT_YUVA420P : AV_PIX_FMT_YUVA444P, [
    { data: luma, rowBytes: width },
    { data: blueDifference, rowBytes: chroma },
    { data: redDifference, rowBytes: chroma },
    { data: alpha, rowBytes: width },
  ])
  frame.sampleAspectRatio = { num: 1, den: 1 } as Frame['sampleAspectRatio']
  frame.colorRange = AVCOL_RANGE_MPEG
  frame.colorSpace = COLORS[matrix][0]
  return frame
}

// The weights of red and blue in luma (ITU-R BT.709 and BT.601).
const SHARES: Record<Matrix, { red: number; blue: number }> = {
  bt709: { red: 0.2126, blue: 0.0722 },
  smpte170m: { red: 0.299, blue: 0.114 },
  bt470bg: { red: 0.299, blue: 0.114 },
}

type Planes = readonly [luma: Buffer, blueDifference: Buffer, redDifference: Buffer, alpha: Buffer]

export function overlayPlanes({ data, width, height }: RawImage, matrix: Matrix, isHalf: boolean): Planes {
  const { red, blue } = SHARES[matrix]
  const pixels = width * height
  const step = isHalf ? 2 : 1
  const chromaWidth = Math.ceil(width / step)
  const [luma, alpha] = [Buffer.alloc(pixels), Buffer.alloc(pixels)]
  const chromaBytes = chromaWidth * Math.ceil(height / step)
  const [blueDifference, redDifference] = [Buffer.alloc(chromaBytes, 128), Buffer.alloc(chromaBytes, 128)]
  const brightness = (at: number) =>
    red * (data[at] ?? 0) + (1 - red - blue) * (data[at + 1] ?? 0) + blue * (data[at + 2] ?? 0)

  for (let pixel = 0; pixel < pixels; pixel += 1) {
    luma[pixel] = Math.round(16 + (brightness(pixel * 4) * 219) / 255)
    alpha[pixel] = data[pixel * 4 + 3] ?? 0
  }
  for (let top = 0; top < height; top += step) {
    for (let left = 0; left < width; left += step) {
      let [weight, blueSum, redSum] = [0, 0, 0]
      for (let y = top; y < Math.min(top + step, height); y += 1) {
        for (let x = left; x < Math.min(left + step, width); x += 1) {
          const at = (y * width + x) * 4
          const opacity = data[at + 3] ?? 0
          weight += opacity
          blueSum += opacity * ((data[at + 2] ?? 0) - brightness(at))
          redSum += opacity * ((data[at] ?? 0) - brightness(at))
        }
      }
      if (weight === 0) continue
      const sample = (top / step) * chromaWidth + left / step
      blueDifference[sample] = Math.round(128 + ((blueSum / weight / (2 - 2 * blue)) * 224) / 255)
      redDifference[sample] = Math.round(128 + ((redSum / weight / (2 - 2 * red)) * 224) / 255)
    }
  }
  return [luma, blueDifference, redDifference, alpha]
}
