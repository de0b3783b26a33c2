import type { Rgba } from '@mediamill/contract/domain/color'
import type { Size } from '@mediamill/contract/domain/size'
import type { Mask } from './mask.ts'

export type Premultiplied = Size & { pixels: Uint8Array }

export function layColor(pixels: Uint8Array, mask: Mask, color: Rgba): void {
  for (let from = 0, at = 0; from < mask.data.length; from += 1, at += 4) {
    const cover = mask.data[from] ?? 0
    if (cover === 0) continue
    const alpha = (cover * color.alpha) / 255
    const left = 1 - alpha / 255
    pixels[at] = Math.round((color.r * alpha) / 255 + (pixels[at] ?? 0) * left)
    pixels[at + 1] = Math.round((color.g * alpha) / 255 + (pixels[at + 1] ?? 0) * left)
    pixels[at + 2] = Math.round((color.b * alpha) / 255 + (pixels[at + 2] ?? 0) * left)
    pixels[at + 3] = Math.round(alpha + (pixels[at + 3] ?? 0) * left)
  }
}

export function multiplyAlpha(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0
    if (alpha === 255) continue
    for (let channel = at; channel < at + 3; channel += 1)
      pixels[channel] = Math.round(((pixels[channel] ?? 0) * alpha) / 255)
  }
}

/** Converts premultiplied pixels to straight alpha, and multiplies alpha by `opacity` (0 to 1), in place. */
export function divideAlpha(pixels: Uint8Array, opacity: number): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0
    if (alpha !== 0 && alpha !== 255) {
      for (let channel = at; channel < at + 3; channel += 1)
        pixels[channel] = Math.min(255, Math.round(((pixels[channel] ?? 0) * 255) / alpha))
    }
    pixels[at + 3] = Math.round(alpha * opacity)
  }
}
