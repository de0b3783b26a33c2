import type { Size } from '../domain/size.ts'

/** The size that keeps `size`'s proportions and touches the box from inside; it enlarges too. Never below one pixel. */
export function fitInside(size: Size, box: { width: number; height: number | undefined }): Size {
  const scaleX = box.width / size.width
  const scaleY = box.height === undefined ? scaleX : box.height / size.height
  const scale = Math.min(scaleX, scaleY)
  return { width: scaled(size.width, scale), height: scaled(size.height, scale) }
}

/** The size that keeps `size`'s proportions and covers the box. What sticks out is to be trimmed. */
export function fitOutside(size: Size, box: Size): Size {
  const scale = Math.max(box.width / size.width, box.height / size.height)
  return {
    width: Math.max(box.width, scaled(size.width, scale)),
    height: Math.max(box.height, scaled(size.height, scale)),
  }
}

const scaled = (length: number, scale: number) => Math.max(1, Math.round(length * scale))
