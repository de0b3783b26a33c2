import { blurMask } from './blur-mask.ts'
import type { KeyColor } from './key-color.ts'
import { keyColor } from './key-color.ts'
import { CUT, keyMask } from './key-mask.ts'
import type { RawPicture } from './raw-picture.ts'
import { edgeOf } from './rim-depth.ts'
import { findShadow } from './soft-shadow.ts'
import { unmixRim } from './unmix-rim.ts'

/**
 * Makes the top-left pixel's colour, and colours near it, transparent. They are cut wherever they lie (Spec 4.5,
 * rulings 15).
 *
 * `tolerance` is 0 to 1 of the largest channel difference: 0 takes the very colour, 1 takes everything. `blur` is over
 * how many pixels the cut edge fades inwards. Edges lose the part of the old ground that is mixed into them, and a soft
 * shadow on it goes on as a see-through one. A source's own alpha is multiplied. A picture of 4 channels is changed in
 * place, others are copied. Where the top-left pixel is wholly transparent there is no colour to take, and nothing is cut.
 */
export function cutOut(picture: RawPicture, tolerance: number, blur: number): RawPicture & { channels: 4 } {
  const wide = withAlpha(picture)
  if (wide.data[3] === 0) return wide
  // A whole percentage of 255 may come out a hair below the difference it means: 0.2 × 255.
  const most = tolerance * 255 + 1e-6
  const key = keyColor(wide, most)
  const mask = keyMask(wide, key, most)
  const blurred = blur === 0 ? undefined : blurMask(mask, wide.width, wide.height, blur)
  refineEdges(wide, mask, key, most)
  multiplyAlpha(wide.data, mask, blurred)
  return wide
}

/** Turns the mask's hard edges into what the picture has there: objects' rims and soft shadows. */
function refineEdges(picture: RawPicture, mask: Uint8Array, key: KeyColor, most: number): void {
  const edge = edgeOf(mask, picture.width)
  if (edge === undefined) return
  const shadow = findShadow(picture, mask, { edge, key, most })
  if (shadow === undefined) return unmixRim(picture, mask, { edge, key, shadow })
  for (let at = shadow.from; at < shadow.to; at += 1) if (shadow.opacity[at] !== 0) mask[at] = CUT
  unmixRim(picture, mask, { edge: edgeOf(mask, picture.width) ?? [], key, shadow })
}

/** The picture in 4 channels: itself where it has them. */
function withAlpha(picture: RawPicture): RawPicture & { channels: 4 } {
  const { data, width, height, channels } = picture
  if (channels === 4) return { ...picture, channels }
  const wide = Buffer.allocUnsafeSlow(width * height * 4)
  if (channels === 3) {
    for (let from = 0, to = 0; to < wide.length; from += 3, to += 4) {
      wide[to] = data[from] ?? 0
      wide[to + 1] = data[from + 1] ?? 0
      wide[to + 2] = data[from + 2] ?? 0
      wide[to + 3] = 255
    }
  } else {
    for (let from = 0, to = 0; to < wide.length; from += channels, to += 4) {
      wide.fill(data[from] ?? 0, to, to + 3)
      wide[to + 3] = channels === 2 ? (data[from + 1] ?? 0) : 255
    }
  }
  return { data: wide, width, height, channels: 4 }
}

/** Multiplies alpha by the mask and, where there is one, by the inner half of its blurred edge. */
function multiplyAlpha(data: Buffer, mask: Uint8Array, blurred: Uint8Array | undefined): void {
  if (blurred !== undefined) {
    for (let at = 0; at < mask.length; at += 1) {
      // Half of a blurred edge lies outside; what is inside fades from nothing to all of it.
      const inside = 2 * (blurred[at] ?? 0) - 255
      if (inside < 255 && mask[at] !== 0) mask[at] = inside <= 0 ? 0 : byteProduct(mask[at] ?? 0, inside)
    }
  }
  for (let at = 0, p = 3; at < mask.length; at += 1, p += 4) {
    const opacity = mask[at] ?? 0
    if (opacity !== 255) data[p] = opacity === 0 ? 0 : byteProduct(data[p] ?? 0, opacity)
  }
}

/** a × b / 255, rounded, in whole numbers. */
function byteProduct(a: number, b: number): number {
  const product = a * b + 128
  return (product + (product >> 8)) >> 8
}
