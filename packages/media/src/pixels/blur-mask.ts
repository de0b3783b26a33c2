/** Blurs a mask with two box blurs, so that each edge becomes a ramp of `reach` pixels to both sides. */
export function blurMask(mask: Uint8Array, width: number, height: number, reach: number): Uint8Array {
  const first = Math.ceil(reach / 2)
  const second = reach - first
  const blurred = Uint8Array.from(mask)
  const between = new Uint8Array(mask.length)
  for (const radius of [first, second]) {
    if (radius === 0) continue
    blurRows(blurred, between, width, radius)
    blurColumns(between, blurred, width, height, radius)
  }
  return blurred
}

function blurRows(from: Uint8Array, to: Uint8Array, width: number, radius: number): void {
  const count = 2 * radius + 1
  for (let start = 0; start < from.length; start += width) {
    const end = start + width - 1
    let sum = (from[start] ?? 0) * (radius + 1)
    for (let x = 1; x <= radius; x += 1) sum += from[Math.min(start + x, end)] ?? 0
    for (let at = start; at <= end; at += 1) {
      to[at] = (sum + radius) / count
      const enters = at + radius + 1
      const leaves = at - radius
      sum += (from[enters < end ? enters : end] ?? 0) - (from[leaves > start ? leaves : start] ?? 0)
    }
  }
}

function blurColumns(from: Uint8Array, to: Uint8Array, width: number, height: number, radius: number): void {
  const count = 2 * radius + 1
  const lineAt = (y: number) => Math.min(Math.max(y, 0), height - 1) * width
  const sums = new Int32Array(width)
  for (let y = -radius; y <= radius; y += 1) {
    const line = lineAt(y)
    for (let x = 0; x < width; x += 1) sums[x] = (sums[x] ?? 0) + (from[line + x] ?? 0)
  }
  for (let y = 0; y < height; y += 1) {
    const line = y * width
    const enters = lineAt(y + radius + 1)
    const leaves = lineAt(y - radius)
    for (let x = 0; x < width; x += 1) {
      const sum = sums[x] ?? 0
      to[line + x] = (sum + radius) / count
      sums[x] = sum + (from[enters + x] ?? 0) - (from[leaves + x] ?? 0)
    }
  }
}
