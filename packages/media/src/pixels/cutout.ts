import { blurMask } from './blur-mask.ts'
import type { KeyColor } from './key-color.ts'
import { keyColor } from './key-color.ts'
import { CUT, keyMask } from './key-mask.ts'
import type { RawImage } from './raw-image.ts'
import { edgeOf } from './rim-depth.ts'
import { findShadow } from './soft-shadow.ts'
import { unmixRim } from './unmix-rim.ts'

/** Makes the top-left pixel's color transparent (operations.remove_background.1). Changes 4-channel images in place. */
export function cutOut(image: RawImage, tolerance: number, blur: number): RawImage & { channels: 4 } {
  const wide = withAlpha(image)
  if (wide.data[3] === 0) return wide
  // Corrects rounding errors: 0.2 × 255 may be just below 51.
  const maxDifference = tolerance * 255 + 1e-6
  const key = keyColor(wide, maxDifference)
  const mask = keyMask(wide, key, maxDifference)
  const blurred = blur === 0 ? undefined : blurMask(mask, wide.width, wide.height, blur)
  refineEdges(wide, mask, key, maxDifference)
  multiplyAlpha(wide.data, mask, blurred)
  return wide
}

function refineEdges(image: RawImage, mask: Uint8Array, key: KeyColor, maxDifference: number): void {
  const edge = edgeOf(mask, image.width)
  if (edge === undefined) return
  const shadow = findShadow(image, mask, { edge, key, maxDifference })
  if (shadow === undefined) return unmixRim(image, mask, { edge, key, shadow })
  for (let at = shadow.from; at < shadow.to; at += 1) if (shadow.opacity[at] !== 0) mask[at] = CUT
  unmixRim(image, mask, { edge: edgeOf(mask, image.width) ?? [], key, shadow })
}

function withAlpha(image: RawImage): RawImage & { channels: 4 } {
  const { data, width, height, channels } = image
  if (channels === 4) return { ...image, channels }
  const wide = Buffer.allocUnsafeSlow(width * height * 4)
  for (let from = 0, to = 0; to < wide.length; from += 3, to += 4) {
    wide[to] = data[from] ?? 0
    wide[to + 1] = data[from + 1] ?? 0
    wide[to + 2] = data[from + 2] ?? 0
    wide[to + 3] = 255
  }
  return { data: wide, width, height, channels: 4 }
}

function multiplyAlpha(data: Buffer, mask: Uint8Array, blurred: Uint8Array | undefined): void {
  if (blurred !== undefined) {
    for (let at = 0; at < mask.length; at += 1) {
      // Half of a blurred edge is outside the object. Stretches the values of the inner half to 0 to 255.
      const inside = 2 * (blurred[at] ?? 0) - 255
      if (inside < 255 && mask[at] !== 0) mask[at] = inside <= 0 ? 0 : byteProduct(mask[at] ?? 0, inside)
    }
  }
  for (let at = 0, p = 3; at < mask.length; at += 1, p += 4) {
    const opacity = mask[at] ?? 0
    if (opacity !== 255) data[p] = opacity === 0 ? 0 : byteProduct(data[p] ?? 0, opacity)
  }
}

function byteProduct(a: number, b: number): number {
  const product = a * b + 128
  return (product + (product >> 8)) >> 8
}
