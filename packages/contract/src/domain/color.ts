/** A color. Each channel is 0 to 255. Red, green, and blue are not multiplied by alpha. */
export type Rgba = { r: number; g: number; b: number; alpha: number }

/** Matches `rgb`, `rrggbb`, or `rrggbbaa`, with or without `#`. Has no flags, because JSON Schema supports none. */
export const HEX_COLOR = /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/

export function parseColor(text: string): Rgba {
  if (!HEX_COLOR.test(text)) throw new RangeError(`not a hex color: ${text}`)
  const digits = text.replace('#', '')
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  const part = (index: number) => Number.parseInt(long.slice(index, index + 2), 16)
  return { r: part(0), g: part(2), b: part(4), alpha: long.length === 8 ? part(6) : 255 }
}

export function overWhite(color: Rgba): Rgba {
  const part = (value: number) => Math.round((value * color.alpha + 255 * (255 - color.alpha)) / 255)
  return { r: part(color.r), g: part(color.g), b: part(color.b), alpha: 255 }
}
