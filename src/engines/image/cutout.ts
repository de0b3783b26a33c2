import { blurMask } from './blur-mask.ts'
import type { RawPicture } from './raw-picture.ts'

/**
 * Makes the colour of the top-left pixel, and colours near it, transparent wherever they lie (Spec 4.5, decisions 15).
 *
 * `tolerance` is 0 to 1 of the largest channel difference: 0 takes the very colour, 1 takes everything. `blur` is how
 * many pixels inwards the cut edge fades; what was cut stays clear, so no fringe of the old background shows.
 * A source's own alpha is multiplied. A picture of 4 channels is changed in place, others are copied. Where the
 * top-left pixel is wholly transparent there is no colour to take, and nothing is cut.
 */
export function cutOut(picture: RawPicture, tolerance: number, blur: number): RawPicture {
  const { width, height } = picture
  const { data } = withAlpha(picture)
  if (data[3] === 0) return { data, width, height, channels: 4 }
  const red = nearTable(data[0] ?? 0, tolerance)
  const green = nearTable(data[1] ?? 0, tolerance)
  const blue = nearTable(data[2] ?? 0, tolerance)
  const kept = new Uint8Array(width * height)
  for (let at = 0, p = 0; at < kept.length; at += 1, p += 4) {
    kept[at] = ((red[data[p] ?? 0] ?? 0) & (green[data[p + 1] ?? 0] ?? 0) & (blue[data[p + 2] ?? 0] ?? 0)) - 1
  }
  const mask = blur === 0 ? kept : blurMask(kept, width, height, blur)
  for (let at = 0, p = 3; at < kept.length; at += 1, p += 4) {
    // (alpha × mask) / 255, rounded, in whole numbers; a cut pixel stays cut.
    const product = (data[p] ?? 0) * ((mask[at] ?? 0) & (kept[at] ?? 0)) + 128
    data[p] = (product + (product >> 8)) >> 8
  }
  return { data, width, height, channels: 4 }
}

/** For each value of a channel: 1 where it is within the tolerance of the corner's, else 0. */
function nearTable(corner: number, tolerance: number): Uint8Array {
  // A whole percentage of 255 may come out a hair below the difference it means: 0.2 × 255.
  const most = tolerance * 255 + 1e-6
  return Uint8Array.from({ length: 256 }, (_, value) => (Math.abs(value - corner) <= most ? 1 : 0))
}

function withAlpha(picture: RawPicture): RawPicture {
  const { data, channels, width, height } = picture
  if (channels === 4) return picture
  const wide = Buffer.allocUnsafe(width * height * 4)
  const [green, blue] = channels === 3 ? [1, 2] : [0, 0]
  for (let from = 0, to = 0; to < wide.length; from += channels, to += 4) {
    wide[to] = data[from] ?? 0
    wide[to + 1] = data[from + green] ?? 0
    wide[to + 2] = data[from + blue] ?? 0
    wide[to + 3] = channels === 2 ? (data[from + 1] ?? 0) : 255
  }
  return { data: wide, width, height, channels: 4 }
}
