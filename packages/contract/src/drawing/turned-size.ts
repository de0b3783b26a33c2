import type { Size } from '../domain/size.ts'

/** Returns the smallest size that contains an image rotated by `degrees`, with the rounding of libvips. */
export function turnedSize({ width, height }: Size, degrees: number): Size {
  if (degrees % 180 === 0) return { width, height }
  if (degrees % 90 === 0) return { width: height, height: width }
  const cos = Math.abs(Math.cos((degrees * Math.PI) / 180))
  const sin = Math.abs(Math.sin((degrees * Math.PI) / 180))
  return { width: Math.round(width * cos + height * sin), height: Math.round(width * sin + height * cos) }
}
