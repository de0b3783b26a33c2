import type { Operation } from '../operation.ts'

export type Size = { width: number; height: number }

const number = (operation: Operation, name: string, otherwise: number) => {
  const value = operation[name]
  return typeof value === 'number' ? value : otherwise
}

/** Returns the size after an operation. If this page cannot compute it, returns `size` unchanged. */
function sizeAfter(size: Size, operation: Operation): Size {
  const { width, height } = size
  const box = { width: number(operation, 'width', width), height: number(operation, 'height', height) }
  switch (operation.type) {
    case 'resize':
      if (operation['crop_center'] === true || operation['preserve_aspect_ratio'] === false) return box
      return scaled(size, Math.min(box.width / width, box.height / height))
    case 'thumbnail':
      return scaled(
        size,
        Math.min(box.width / width, 'height' in operation ? box.height / height : Number.POSITIVE_INFINITY),
      )
    case 'crop': {
      const x = number(operation, 'x', 0)
      const y = number(operation, 'y', 0)
      return {
        width: Math.max(1, Math.min(box.width, width - x)),
        height: Math.max(1, Math.min(box.height, height - y)),
      }
    }
    case 'border':
      return {
        width: width + number(operation, 'left', 0) + number(operation, 'right', 0),
        height: height + number(operation, 'top', 0) + number(operation, 'bottom', 0),
      }
    case 'rotate':
      return number(operation, 'degrees', 0) % 180 === 90 ? { width: height, height: width } : size
    default:
      return size
  }
}

const scaled = ({ width, height }: Size, by: number): Size => ({
  width: Math.max(1, Math.round(width * by)),
  height: Math.max(1, Math.round(height * by)),
})

export const frameSize = (source: Size, operations: Operation[]): Size => operations.reduce(sizeAfter, source)
