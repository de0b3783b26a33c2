import { randomBytes } from 'node:crypto'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { createRandom } from './random.ts'

export type Rgb = [number, number, number]

/** The colors of four quarters: top left, top right, bottom left, bottom right. Every flip and crop is visible. */
const QUARTERS: readonly Rgb[] = [
  [220, 30, 30],
  [30, 200, 40],
  [40, 60, 210],
  [240, 220, 40],
]

/** Makes an image of four quarters in different colors. `width` and `height` must be even. */
export async function quarters(
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'webp' = 'png',
): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const quarter = (y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)
      data.set(QUARTERS[quarter] ?? [0, 0, 0], (y * width + x) * 3)
    }
  }
  const image = sharp(data, { raw: { width, height, channels: 3 } })
  return await image.toFormat(format, format === 'png' ? {} : { quality: 100 }).toBuffer()
}

/** Makes a square PNG of random pixels, which no encoder can compress. */
export async function noise(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 as const }
  return await sharp(randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** Makes raw pixels of noise, the same for the same seed. */
export function rawNoise(width: number, height: number, channels: 3 | 4 = 3, seed = 1) {
  const { below } = createRandom(seed)
  const data = Buffer.from(Array.from({ length: width * height * channels }, () => below(256)))
  return { data, width, height, channels }
}

export function noisyImage(width: number, height: number): Sharp {
  const { data, ...raw } = rawNoise(width, height)
  return sharp(data, { raw })
}
