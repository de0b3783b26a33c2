// Elements of Matroska (RFC 9559): the header, and the segment, which contains all tracks.
const HEADER = 0x1a45dfa3
const SEGMENT = 0x18538067

/** Returns whether a Matroska file of `size` bytes contains its whole segment. `head` is its first bytes. */
export function containsSegment(head: Buffer, size: number): boolean {
  const header = readElement(head, 0)
  if (header?.id !== HEADER) return false
  const segment = readElement(head, header.end)
  return segment?.id === SEGMENT && segment.end <= size
}

/** Returns `undefined` if the element is missing, or if it declares no size, as in a live recording. */
function readElement(head: Buffer, start: number): { id: number; end: number } | undefined {
  if (start + 12 > head.length) return undefined
  const id = head.readUInt32BE(start)
  const first = head.readUInt8(start + 4)
  // The number of leading zero bits is the number of further bytes.
  const further = Math.clz32(first) - 24
  if (further > 7) return undefined
  const bits = BigInt(7 * (further + 1))
  const size = BigInt(`0x${head.toString('hex', start + 4, start + 5 + further)}`) & ((1n << bits) - 1n)
  return size === (1n << bits) - 1n ? undefined : { id, end: start + 5 + further + Number(size) }
}
