import type { RawImage } from '@mediamill/media/pixels/raw-image'
import type { Sharp } from 'sharp'
import type { Matrix } from './chromaticities.ts'

/** How to convert colors. `toLinear` converts a value to light, 0 to 1. `mix` converts colors to linear sRGB. */
export type Tone = { toLinear: (value: number) => number; mix: Matrix | undefined }

export async function decodeToned(image: Sharp, { toLinear, mix }: Tone): Promise<RawImage> {
  const { values, width, height, channels } = await deepValues(image, mix === undefined ? 'grey16' : 'rgb16')
  const light = Float32Array.from({ length: 65_536 }, (_, value) => toLinear(value / 65_535))
  const colors = mix === undefined ? 1 : 3
  const to = channels > colors ? 4 : 3
  const data = Buffer.allocUnsafe(width * height * to)
  for (let from = 0, at = 0; at < data.length; from += channels, at += to) {
    if (mix === undefined) {
      data.fill(toSrgb(light[values[from] ?? 0] ?? 0), at, at + 3)
    } else {
      const r = light[values[from] ?? 0] ?? 0
      const g = light[values[from + 1] ?? 0] ?? 0
      const b = light[values[from + 2] ?? 0] ?? 0
      for (const [channel, row] of mix.entries()) data[at + channel] = toSrgb(row[0] * r + row[1] * g + row[2] * b)
    }
    if (to === 4) data[at + 3] = toByte(values[from + colors] ?? 0)
  }
  return { data, width, height, channels: to }
}

// Enough for the steepest part of the sRGB curve, where one level is 1 / 3,295 of white.
const STEPS = 65_535
const SRGB_LEVELS = Uint8Array.from({ length: STEPS + 1 }, (_, step) => {
  const light = step / STEPS
  return Math.round((light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055) * 255)
})

export const toSrgb = (light: number) => SRGB_LEVELS[Math.round(Math.min(1, Math.max(0, light)) * STEPS)] ?? 0

type DeepValues = { values: Uint16Array; width: number; height: number; channels: number }

/** Decodes to 16-bit values, because sharp's 8-bit gray has no alpha. */
export async function deepValues(image: Sharp, space: 'grey16' | 'rgb16'): Promise<DeepValues> {
  const run = image.toColourspace(space).raw({ depth: 'ushort' }).toBuffer({ resolveWithObject: true })
  const { data, info } = await run
  const { width, height, channels } = info
  return { values: new Uint16Array(data.buffer, data.byteOffset, data.length / 2), width, height, channels }
}

export const toByte = (value: number) => Math.floor((value + 128) / 257)
