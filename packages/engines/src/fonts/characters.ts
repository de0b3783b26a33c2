import type { FontTables } from './true-type.ts'
import { tableOf } from './true-type.ts'

export type Characters = Map<number, number>

export function readCharacters(tables: FontTables): Characters {
  const cmap = tableOf(tables, 'cmap')
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) =>
    cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4)),
  )
  const wide = subtables.find((table) => table.readUInt16BE(0) === 12)
  if (wide !== undefined) return readGroups(wide)
  const narrow = subtables.find((table) => table.readUInt16BE(0) === 4)
  if (narrow === undefined) throw new RangeError('the font has no Unicode character map')
  return readSegments(narrow)
}

function readGroups(table: Buffer): Characters {
  const found: Characters = new Map()
  for (let group = 16; group < 16 + table.readUInt32BE(12) * 12; group += 12) {
    const [first, last, glyph] = [0, 4, 8].map((at) => table.readUInt32BE(group + at)) as [number, number, number]
    for (let code = first; code <= last; code += 1) found.set(code, glyph + code - first)
  }
  return found
}

function readSegments(table: Buffer): Characters {
  const found: Characters = new Map()
  const bytes = table.readUInt16BE(6)
  for (let segment = 0; segment < bytes; segment += 2) {
    const last = table.readUInt16BE(14 + segment)
    const first = table.readUInt16BE(16 + bytes + segment)
    const delta = table.readUInt16BE(16 + bytes * 2 + segment)
    const offsetAt = 16 + bytes * 3 + segment
    const offset = table.readUInt16BE(offsetAt)
    for (let code = first; code <= last && code < 0xffff; code += 1) {
      const listed = offset === 0 ? code : table.readUInt16BE(offsetAt + offset + (code - first) * 2)
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) found.set(code, glyph)
    }
  }
  return found
}

/** Characters to draw as nothing: controls, spaces, and directional marks. Some fonts draw symbols for them. */
const BLANK: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x20],
  [0x7f, 0xa0],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
]

/** Code points without a defined glyph, including surrogates. */
const UNKNOWN: readonly (readonly [first: number, last: number])[] = [
  [0xd800, 0xf8ff],
  [0xfffe, 0xffff],
  [0xf0000, 0x10ffff],
]

const isIn = (ranges: typeof BLANK, code: number) => ranges.some(([first, last]) => code >= first && code <= last)

function missing(known: Characters): { first: number; last: number; isBlank: boolean }[] {
  const starts = new Set([0, ...[...BLANK, ...UNKNOWN].flatMap(([first, last]) => [first, last + 1])])
  for (const code of known.keys()) starts.add(code).add(code + 1)
  return [...starts]
    .filter((code) => code <= 0x10ffff)
    .sort((a, b) => a - b)
    .map((first, index, sorted) => ({ first, last: (sorted[index + 1] ?? 0x110000) - 1, isBlank: isIn(BLANK, first) }))
    .filter(({ first }) => !known.has(first) && !isIn(UNKNOWN, first))
}

export function writeCharacters(drawn: Characters, box: number): Buffer {
  const blank = drawn.get(0x20) ?? 0
  const known = new Map([...drawn].filter(([code]) => !isIn(BLANK, code)))
  const groups = [...known].map(([code, glyph]) => ({ first: code, last: code, glyph }))
  for (const { first, last, isBlank } of missing(known)) groups.push({ first, last, glyph: isBlank ? blank : box })
  groups.sort((a, b) => a.first - b.first)

  const table = Buffer.alloc(4 + 2 * 8 + 16 + groups.length * 12)
  table.writeUInt16BE(2, 2)
  for (const [index, encoding] of [1, 10].entries()) {
    table.writeUInt16BE(3, 4 + index * 8)
    table.writeUInt16BE(encoding, 6 + index * 8)
    table.writeUInt32BE(20, 8 + index * 8)
  }
  table.writeUInt16BE(13, 20)
  table.writeUInt32BE(16 + groups.length * 12, 24)
  table.writeUInt32BE(groups.length, 32)
  groups.forEach(({ first, last, glyph }, index) => {
    table.writeUInt32BE(first, 36 + index * 12)
    table.writeUInt32BE(last, 40 + index * 12)
    table.writeUInt32BE(glyph, 44 + index * 12)
  })
  return table
}
