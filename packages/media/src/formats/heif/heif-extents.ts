import type { HeifItems } from './heif-items.ts'
import { findBox } from './iso-bmff.ts'

/** Returns whether the file contains all data of the primary image. libheif would draw missing data black. */
export function isWhole(meta: Buffer, { primary, references }: HeifItems, size: number): boolean {
  const ends = dataEnds(findBox(meta, 'iloc'))
  const belonging = Map.groupBy(
    references.flatMap(({ type, from, to }) => {
      if (type === 'dimg') return to.map((part) => ({ whole: from, part }))
      return type === 'auxl' ? to.map((whole) => ({ whole, part: from })) : []
    }),
    ({ whole }) => whole,
  )
  const wanted = new Set([primary])
  // The set grows during the loop, because an image can be derived from derived images.
  for (const item of wanted) for (const { part } of belonging.get(item) ?? []) wanted.add(part)
  return [...wanted].every((item) => (ends.get(item) ?? 0) <= size)
}

/** Returns where the data of each item ends in the file (ISO 14496-12, `iloc`). Ignores data inside `meta`. */
function dataEnds(iloc: Buffer | undefined): Map<number, number> {
  const ends = new Map<number, number>()
  if (iloc === undefined) return ends
  const version = iloc.readUInt8(0)
  const sizes = iloc.readUInt16BE(4)
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  const extentBytes = indexBytes + offsetBytes + lengthBytes
  let at = 6
  const next = (bytes: number) => {
    let value = 0
    for (let index = 0; index < bytes; index += 1) value = value * 256 + iloc.readUInt8(at + index)
    at += bytes
    return value
  }
  const count = next(version < 2 ? 2 : 4)
  for (let entry = 0; entry < count; entry += 1) {
    const item = next(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : next(2) & 15
    next(2)
    const base = next(baseBytes)
    const extents = next(2)
    // Skips empty extents. A huge number of them would make the loop run without reading a byte.
    for (let extent = 0; extent < extents && extentBytes > 0; extent += 1) {
      next(indexBytes)
      const end = base + next(offsetBytes) + next(lengthBytes)
      if (method === 0) ends.set(item, Math.max(ends.get(item) ?? 0, end))
    }
  }
  return ends
}
