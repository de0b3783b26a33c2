/** The coverage of each pixel, 0 to 255. Rows start at the top and have no padding. */
export type Mask = { data: Uint8Array; width: number; height: number }

export function placeMask(mask: Mask, width: number, height: number, left: number, top: number): Mask {
  const data = new Uint8Array(width * height)
  const [from, to] = [Math.max(0, -left), Math.min(mask.width, width - left)]
  for (let y = Math.max(0, -top); y < Math.min(mask.height, height - top) && from < to; y += 1) {
    const row = mask.data.subarray(y * mask.width + from, y * mask.width + to)
    data.set(row, (y + top) * width + left + from)
  }
  return { data, width, height }
}

const INSIDE = 128

/** Shrinks a mask that is `scale` times too large. An area where letters overlap counts only once. */
export function shrinkMask({ data, width, height }: Mask, scale: number): Mask {
  const size = { width: Math.ceil(width / scale), height: Math.ceil(height / scale) }
  const counts = new Uint8Array(size.width * size.height)
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / scale) * size.width
    for (let x = 0; x < width; x += 1, at += 1) {
      if ((data[at] ?? 0) < INSIDE) continue
      const pixel = row + Math.floor(x / scale)
      counts[pixel] = (counts[pixel] ?? 0) + 1
    }
  }
  return { data: counts.map((count) => Math.round((count * 255) / scale ** 2)), ...size }
}
