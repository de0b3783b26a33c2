import type { Size } from '../domain/size.ts'

export function fitInside(size: Size, box: { width: number; height: number | undefined }): Size {
  const scaleX = box.width / size.width
  const scaleY = box.height === undefined ? scaleX : box.height / size.height
  const scale = Math.min(scaleX, scaleY)
  return { width: scaled(size.width, scale), height: scaled(size.height, scale) }
}

export function fitOutside(size: Size, box: Size): Size {
  const scale = Math.max(box.width / size.width, box.height / size.height)
  return {
    width: Math.max(box.width, scaled(size.width, scale)),
    height: Math.max(box.height, scaled(size.height, scale)),
  }
}

const scaled = (length: number, scale: number) => Math.max(1, Math.round(length * scale))

/** Returns the smallest size that contains an image rotated by `degrees`, with the rounding of libvips. */
export function turnedSize({ width, height }: Size, degrees: number): Size {
  if (degrees % 180 === 0) return { width, height }
  if (degrees % 90 === 0) return { width: height, height: width }
  const cos = Math.abs(Math.cos((degrees * Math.PI) / 180))
  const sin = Math.abs(Math.sin((degrees * Math.PI) / 180))
  return { width: Math.round(width * cos + height * sin), height: Math.round(width * sin + height * cos) }
}
