import type { RawImage } from './raw-image.ts'

export function copiesAlong(length: number, start: number, side: number, step: number | undefined): number[] {
  if (step === undefined) return start < length && start + side > 0 ? [start] : []
  const begins: number[] = []
  for (let copy = Math.max(0, Math.floor((-side - start) / step)); ; copy += 1) {
    const begin = start + Math.round(copy * step)
    if (begin >= length) return begins
    if (begin + side > 0) begins.push(begin)
  }
}

/** Maps each position along a side of the frame to the row or column of the topmost copy there, or to -1. */
export function mapAxis(length: number, start: number, side: number, step: number | undefined): Int32Array {
  const axis = new Int32Array(length).fill(-1)
  const begins = copiesAlong(length, start, side, step)
  begins.forEach((begin, index) => {
    const end = Math.min(begin + side, length, begins[index + 1] ?? length)
    for (let position = Math.max(begin, 0); position < end; position += 1) axis[position] = position - begin
  })
  return axis
}

type Axis = (length: number, start: number) => Int32Array

/** Draws overlapping copies into one sheet, so that each pixel of the frame is drawn once. Needs whole-pixel steps. */
export function mergeOverlaps(
  mark: RawImage,
  stepX: number | undefined,
  stepY: number | undefined,
): { sheet: RawImage; axisX: Axis; axisY: Axis } {
  const { width, height } = mark
  const layers = toPremultiplied(mark)
  if (stepX !== undefined) {
    for (let y = 0; y < height; y += 1) {
      for (let x = stepX; x < width; x += 1) compositeOver(layers, y * width + x, y * width + x - stepX)
    }
  }
  if (stepY !== undefined) {
    for (let pixel = stepY * width; pixel < width * height; pixel += 1)
      compositeOver(layers, pixel, pixel - stepY * width)
  }
  return {
    sheet: { ...mark, data: toStraight(layers) },
    axisX: mergedAxis(width, stepX),
    axisY: mergedAxis(height, stepY),
  }
}

const mergedAxis =
  (side: number, step: number | undefined): Axis =>
  (length, start) => {
    if (step === undefined) return mapAxis(length, start, side, undefined)
    const axis = new Int32Array(length).fill(-1)
    for (let position = Math.max(0, start); position < length; position += 1) {
      const topmost = (position - start) % step
      const lowest = Math.min(position - start, side - 1)
      if (topmost < side) axis[position] = topmost + Math.floor((lowest - topmost) / step) * step
    }
    return axis
  }

/** Draws the pixel `upper` over the pixel `lower`, in place. Values are 0 to 1 and premultiplied. */
function compositeOver(layers: Float32Array, lower: number, upper: number): void {
  const rest = 1 - (layers[upper * 4 + 3] ?? 0)
  for (let channel = 0; channel < 4; channel += 1) {
    layers[lower * 4 + channel] = (layers[upper * 4 + channel] ?? 0) + (layers[lower * 4 + channel] ?? 0) * rest
  }
}

function toPremultiplied({ data }: RawImage): Float32Array {
  const layers = new Float32Array(data.length)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 0) / 255
    for (let channel = 0; channel < 3; channel += 1) layers[at + channel] = ((data[at + channel] ?? 0) / 255) * alpha
    layers[at + 3] = alpha
  }
  return layers
}

function toStraight(layers: Float32Array): Buffer {
  const data = Buffer.alloc(layers.length)
  for (let at = 0; at < layers.length; at += 4) {
    const alpha = layers[at + 3] ?? 0
    if (alpha === 0) continue
    for (let channel = 0; channel < 3; channel += 1) {
      data[at + channel] = Math.min(255, Math.round(((layers[at + channel] ?? 0) / alpha) * 255))
    }
    data[at + 3] = Math.round(alpha * 255)
  }
  return data
}
