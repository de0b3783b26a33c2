import { blurMask } from './blur-mask.ts'
import type { RawPicture } from './raw-picture.ts'

/**
 * Makes the colour of the top-left pixel, and colours near it, transparent wherever they lie (Spec 4.5, rulings 15).
 *
 * `tolerance` is 0 to 1 of the largest channel difference: 0 takes the very colour, 1 takes everything. `blur` is how
 * many pixels inwards the cut edge fades; what was cut stays clear, so no fringe of the old background shows.
 * A source's own alpha is multiplied. A picture of 4 channels is changed in place, others are copied. Where the
 * top-left pixel is wholly transparent there is no colour to take, and nothing is cut.
 */
export function cutOut(picture: RawPicture, tolerance: number, blur: number): RawPicture {
  const { data, width, height, channels } = picture
  const hasNoColor = (channels === 2 || channels === 4) && data[channels - 1] === 0
  const kept = hasNoColor ? new Uint8Array(width * height).fill(255) : keptPixels(picture, tolerance)
  const mask = blur === 0 || hasNoColor ? kept : blurMask(kept, width, height, blur)
  // A cut pixel stays cut.
  if (mask !== kept) for (let at = 0; at < mask.length; at += 1) mask[at] = (mask[at] ?? 0) & (kept[at] ?? 0)
  return channels === 1 || channels === 3 ? withAlpha(picture, mask) : multiplied(picture, mask)
}

/** 0 where a pixel is near the top-left one's colour, 255 elsewhere. */
function keptPixels({ data, width, height, channels }: RawPicture, tolerance: number): Uint8Array {
  const [greenAt, blueAt] = channels > 2 ? [1, 2] : [0, 0]
  const red = nearTable(data[0] ?? 0, tolerance)
  const green = nearTable(data[greenAt] ?? 0, tolerance)
  const blue = nearTable(data[blueAt] ?? 0, tolerance)
  const kept = new Uint8Array(width * height)
  for (let at = 0, p = 0; at < kept.length; at += 1, p += channels) {
    // Each table has 1 for near: 1 - 1 is 0, and 0 - 1 is 255 in a byte.
    kept[at] =
      ((red[data[p] ?? 0] ?? 0) & (green[data[p + greenAt] ?? 0] ?? 0) & (blue[data[p + blueAt] ?? 0] ?? 0)) - 1
  }
  return kept
}

/** For each value of a channel: 1 where it is within the tolerance of the corner's, else 0. */
function nearTable(corner: number, tolerance: number): Uint8Array {
  // A whole percentage of 255 may come out a hair below the difference it means: 0.2 × 255.
  const most = tolerance * 255 + 1e-6
  return Uint8Array.from({ length: 256 }, (_, value) => (Math.abs(value - corner) <= most ? 1 : 0))
}

/** An opaque picture with the mask as its alpha. */
function withAlpha({ data, width, height, channels }: RawPicture, mask: Uint8Array): RawPicture {
  const [greenAt, blueAt] = channels > 2 ? [1, 2] : [0, 0]
  const wide = Buffer.allocUnsafeSlow(width * height * 4)
  for (let from = 0, at = 0, to = 0; to < wide.length; from += channels, at += 1, to += 4) {
    wide[to] = data[from] ?? 0
    wide[to + 1] = data[from + greenAt] ?? 0
    wide[to + 2] = data[from + blueAt] ?? 0
    wide[to + 3] = mask[at] ?? 0
  }
  return { data: wide, width, height, channels: 4 }
}

/** A picture whose own alpha is multiplied by the mask. */
function multiplied({ data, width, height, channels }: RawPicture, mask: Uint8Array): RawPicture {
  const wide = channels === 4 ? data : Buffer.allocUnsafeSlow(width * height * 4)
  for (let from = 0, at = 0, to = 0; to < wide.length; from += channels, at += 1, to += 4) {
    if (channels === 2) wide.fill(data[from] ?? 0, to, to + 3)
    // (alpha × mask) / 255, rounded, in whole numbers.
    const product = (data[from + channels - 1] ?? 0) * (mask[at] ?? 0) + 128
    wide[to + 3] = (product + (product >> 8)) >> 8
  }
  return { data: wide, width, height, channels: 4 }
}
