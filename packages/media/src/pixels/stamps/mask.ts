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
