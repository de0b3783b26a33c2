/** Flags of the components of a glyph (ISO/IEC 14496-22, `glyf`). */
const ARGUMENTS_ARE_WORDS = 0x0001
const ARGUMENTS_ARE_DISTANCES = 0x0002
const HAS_SCALE = 0x0008
const MORE_COMPONENTS = 0x0020
const HAS_TWO_SCALES = 0x0040
const HAS_MATRIX = 0x0080
const HAS_INSTRUCTIONS = 0x0100

const HEADER_BYTES = 10

type Component = { flags: number; glyph: number; x: number; y: number; transform: Buffer }

export const componentsOf = (outline: Buffer): number[] =>
  isComposite(outline) ? readComponents(outline).map(({ glyph }) => glyph) : []

const isComposite = (outline: Buffer) => outline.length > 0 && outline.readInt16BE(0) < 0

export function scaleOutline(outline: Buffer, scale: number, renumber: (glyph: number) => number): Buffer {
  if (outline.length === 0) return outline
  const header = Buffer.from(outline.subarray(0, HEADER_BYTES))
  for (let at = 2; at < HEADER_BYTES; at += 2) header.writeInt16BE(Math.round(outline.readInt16BE(at) * scale), at)
  return isComposite(outline)
    ? Buffer.concat([header, ...readComponents(outline).map((part) => writeComponent(part, scale, renumber))])
    : Buffer.concat([header, scaleContours(outline, scale)])
}

function readComponents(outline: Buffer): Component[] {
  const components: Component[] = []
  let at = HEADER_BYTES
  let flags = MORE_COMPONENTS
  while ((flags & MORE_COMPONENTS) !== 0) {
    flags = outline.readUInt16BE(at)
    const glyph = outline.readUInt16BE(at + 2)
    at += 4
    const isWide = (flags & ARGUMENTS_ARE_WORDS) !== 0
    const [x, y] = isWide
      ? [outline.readInt16BE(at), outline.readInt16BE(at + 2)]
      : [outline.readInt8(at), outline.readInt8(at + 1)]
    at += isWide ? 4 : 2
    const size = flags & HAS_MATRIX ? 8 : flags & HAS_TWO_SCALES ? 4 : flags & HAS_SCALE ? 2 : 0
    components.push({ flags, glyph, x, y, transform: outline.subarray(at, at + size) })
    at += size
  }
  return components
}

function writeComponent({ flags, glyph, x, y, transform }: Component, scale: number, renumber: (n: number) => number) {
  // Only distances are scaled. The arguments can also be point numbers.
  const factor = flags & ARGUMENTS_ARE_DISTANCES ? scale : 1
  const head = Buffer.alloc(8)
  head.writeUInt16BE((flags | ARGUMENTS_ARE_WORDS) & ~HAS_INSTRUCTIONS, 0)
  head.writeUInt16BE(renumber(glyph), 2)
  head.writeInt16BE(Math.round(x * factor), 4)
  head.writeInt16BE(Math.round(y * factor), 6)
  return Buffer.concat([head, transform])
}

function scaleContours(outline: Buffer, scale: number): Buffer {
  const contours = outline.readInt16BE(0)
  const ends = outline.subarray(HEADER_BYTES, HEADER_BYTES + contours * 2)
  const points = contours === 0 ? 0 : ends.readUInt16BE(contours * 2 - 2) + 1
  let at = HEADER_BYTES + contours * 2
  at += 2 + outline.readUInt16BE(at)
  const flags: number[] = []
  while (flags.length < points) {
    const flag = outline.readUInt8(at++)
    const repeats = flag & 0x08 ? outline.readUInt8(at++) : 0
    for (let count = 0; count <= repeats; count += 1) flags.push(flag)
  }
  const steps = (short: number, same: number) => {
    let [position, written] = [0, 0]
    return flags.map((flag) => {
      if (flag & short) position += flag & same ? outline.readUInt8(at++) : -outline.readUInt8(at++)
      else if (!(flag & same)) {
        position += outline.readInt16BE(at)
        at += 2
      }
      // Scales positions instead of steps, so that rounding errors do not add up.
      const step = Math.round(position * scale) - written
      written += step
      return step
    })
  }
  const xs = steps(0x02, 0x10)
  const ys = steps(0x04, 0x20)
  const written = Buffer.alloc(2 + points * 5)
  flags.forEach((flag, index) => {
    // Keeps the flags for points on the curve and for overlap. All steps become 16-bit words.
    written.writeUInt8(flag & 0x41, 2 + index)
    written.writeInt16BE(xs[index] ?? 0, 2 + points + index * 2)
    written.writeInt16BE(ys[index] ?? 0, 2 + points * 3 + index * 2)
  })
  return Buffer.concat([ends, written])
}
