import type { HeifItems } from './heif-items.ts'
import { findBox } from './iso-bmff.ts'

/**
 * Tells whether the coded data of the primary picture lies within the file. Its tiles and its alpha belong to it; the
 * file has `size` bytes.
 *
 * libheif paints what is missing black and calls it decoded; a file that is cut off is to fail (rulings 9).
 */
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
  // Grows while it is walked: a derived picture's parts may be derived themselves.
  for (const item of wanted) for (const { part } of belonging.get(item) ?? []) wanted.add(part)
  return [...wanted].every((item) => (ends.get(item) ?? 0) <= size)
}

/** Where in the file each item's data ends (ISO 14496-12, `iloc`). Items whose data lies in `meta` itself are left out. */
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
    // Extents of no bytes at all would be counted for nothing.
    for (let extent = 0; extent < extents && extentBytes > 0; extent += 1) {
      next(indexBytes)
      const end = base + next(offsetBytes) + next(lengthBytes)
      if (method === 0) ends.set(item, Math.max(ends.get(item) ?? 0, end))
    }
  }
  return ends
}
