import type { Size } from '@mediamill/contract/domain/size'
import type { RawImage } from './raw-image.ts'

/** Enlarges one side by cubic interpolation (Catmull-Rom). `to` must keep the other side. */
export function enlarge({ data, width, height, channels }: RawImage, to: Size): RawImage {
  const isWider = to.width > width
  const { offsets, weights } = isWider ? tapsOf(width, to.width, channels) : tapsOf(height, to.height, width * channels)
  const pixels = new Uint8ClampedArray(to.width * to.height * channels)
  let written = 0
  for (let y = 0; y < to.height; y += 1) {
    for (let x = 0; x < to.width; x += 1) {
      const line = isWider ? y * width * channels : x * channels
      let red = 0
      let green = 0
      let blue = 0
      let alpha = 0
      const tap = 4 * (isWider ? x : y)
      for (let at = tap; at < tap + 4; at += 1) {
        const pixel = line + (offsets[at] ?? 0)
        const weight = (weights[at] ?? 0) * (channels === 4 ? (data[pixel + 3] ?? 0) : 1)
        red += (data[pixel] ?? 0) * weight
        green += (data[pixel + 1] ?? 0) * weight
        blue += (data[pixel + 2] ?? 0) * weight
        alpha += weight
      }
      if (alpha > 0) {
        pixels[written] = red / alpha
        pixels[written + 1] = green / alpha
        pixels[written + 2] = blue / alpha
      }
      if (channels === 4) pixels[written + 3] = alpha
      written += channels
    }
  }
  return { data: Buffer.from(pixels.buffer), ...to, channels }
}

/** Returns the byte offsets of the four source pixels of each result pixel, with their weights. Repeats the ends. */
function tapsOf(from: number, to: number, stride: number) {
  const offsets = new Int32Array(4 * to)
  const weights = new Float64Array(4 * to)
  for (let at = 0; at < to; at += 1) {
    const position = ((at + 0.5) * from) / to - 0.5
    const first = Math.floor(position)
    const t = position - first
    const cubic = [(2 - t) * t - 1, (3 * t - 5) * t + 2 / t, (4 - 3 * t) * t + 1, (t - 1) * t]
    weights.set(t === 0 ? [0, 1, 0, 0] : cubic.map((value) => (value * t) / 2), 4 * at)
    for (let tap = 0; tap < 4; tap += 1)
      offsets[4 * at + tap] = Math.min(from - 1, Math.max(0, first + tap - 1)) * stride
  }
  return { offsets, weights }
}
