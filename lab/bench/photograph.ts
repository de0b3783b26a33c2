import type { Sharp } from 'sharp'
import sharp from 'sharp'

/** Draws edges and grain, like a small photo. With `grain` 1, shades are smooth. Frames are stacked vertically. */
export function photograph(width: number, height: number, { frames = 1, grain = 8 } = {}): Sharp {
  const pixels = Buffer.alloc(width * height * frames * 3)
  for (let at = 0, seed = 1; at < pixels.length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)]
    pixels[at] =
      (Math.hypot((x % 200) - 100, (y % 150) - 75) < 50 ? 180 : grain === 1 ? x % 140 : (x * y) % 140) +
      ((seed >>> 16) % grain)
  }
  const raw = { width, height: height * frames, channels: 3 as const, ...(frames > 1 && { pageHeight: height }) }
  return sharp(pixels, { raw })
}
