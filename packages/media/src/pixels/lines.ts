import type { DiagonalLines } from '@mediamill/contract/drawing/overlays'
import { drawOver } from './blend.ts'
import type { RawImage } from './raw-image.ts'

/** Draws two diagonal lines with soft edges. Where they cross, the color is drawn only once. */
export function drawLines(frame: RawImage, { color, opacity, width: thickness }: DiagonalLines): void {
  const { data, width, height, channels } = frame
  const alpha = color.alpha * opacity
  if (alpha === 0) return
  const length = Math.hypot(width, height)
  const reach = thickness / 2 + 0.5
  const sideways = (reach * length) / height
  const coverage = (x: number, middle: number) =>
    Math.min(1, Math.max(0, reach - (Math.abs(x + 0.5 - middle) * height) / length))

  for (let y = 0; y < height; y += 1) {
    const falling = ((y + 0.5) * width) / height
    const rising = width - falling
    const [first, second] = falling <= rising ? [falling, rising] : [rising, falling]
    let next = 0
    for (const middle of [first, second]) {
      const end = Math.min(width, Math.ceil(middle + sideways))
      for (let x = Math.max(next, Math.floor(middle - sideways)); x < end; x += 1) {
        const drawn = Math.round(alpha * Math.max(coverage(x, first), coverage(x, second)))
        if (drawn > 0) drawOver(data, (y * width + x) * channels, channels, color.r, color.g, color.b, drawn)
      }
      next = Math.max(next, end)
    }
  }
}
