import type { Characters } from '../../fonts/characters.ts'
import { readCharacters, writeCharacters } from '../../fonts/characters.ts'
import type { FontTables } from '../../fonts/true-type.ts'
import { readLocations, readMetrics, readTables, tableOf, writeTables } from '../../fonts/true-type.ts'
import { componentsOf, scaleOutline } from './outlines.ts'

type Glyph = { outline: Buffer; advance: number; left: number }

/** Tables that draw glyphs or name the font. A PDF needs no layout tables, because it stores glyph positions. */
const KEPT = ['OS/2', 'cvt ', 'fpgm', 'gasp', 'name', 'post', 'prep']

/** Adds the characters that `base` lacks, each from the first font that has it. Others are drawn as a box. */
export function composeFont(base: Buffer, more: readonly Buffer[]): Buffer {
  const tables = readTables(base)
  const glyphs = readGlyphs(tables)
  const known = readCharacters(tables)
  for (const font of more) addGlyphs(tables, glyphs, known, readTables(font))
  // The box is glyph 0, which FreeType treats as a missing character, so a copy of the box gets another number.
  const [notdef] = glyphs
  if (notdef !== undefined) glyphs.push(notdef)
  return writeTables(newTables(tables, glyphs, writeCharacters(known, glyphs.length - 1)))
}

function readGlyphs(tables: FontTables): Glyph[] {
  const locations = readLocations(tables)
  const glyf = tableOf(tables, 'glyf')
  return readMetrics(tables).map((metrics, index) => ({
    ...metrics,
    outline: glyf.subarray(locations[index], locations[index + 1]),
  }))
}

function addGlyphs(tables: FontTables, glyphs: Glyph[], known: Characters, more: FontTables): void {
  const scale = tableOf(tables, 'head').readUInt16BE(18) / tableOf(more, 'head').readUInt16BE(18)
  const theirs = readGlyphs(more)
  const numbers = new Map<number, number>()
  const add = (number: number): number => {
    const added = numbers.get(number)
    const glyph = theirs[number]
    if (added !== undefined || glyph === undefined) return added ?? 0
    const index = glyphs.length
    numbers.set(number, index)
    const [advance, left] = [Math.round(glyph.advance * scale), Math.round(glyph.left * scale)]
    const scaled: Glyph = { advance, left, outline: Buffer.alloc(0) }
    glyphs.push(scaled)
    for (const part of componentsOf(glyph.outline)) add(part)
    scaled.outline = scaleOutline(glyph.outline, scale, add)
    return index
  }
  for (const [code, number] of readCharacters(more)) if (!known.has(code)) known.set(code, add(number))
}

function newTables(tables: FontTables, glyphs: readonly Glyph[], cmap: Buffer): FontTables {
  const [head, maxp, hhea] = ['head', 'maxp', 'hhea'].map((tag) => Buffer.from(tableOf(tables, tag))) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  // Declares 32-bit offsets in `loca`, the number of glyphs, and one width for each glyph.
  head.writeUInt16BE(1, 50)
  maxp.writeUInt16BE(glyphs.length, 4)
  hhea.writeUInt16BE(glyphs.length, 34)
  const loca = Buffer.alloc((glyphs.length + 1) * 4)
  const hmtx = Buffer.alloc(glyphs.length * 4)
  let end = 0
  const outlines = glyphs.map(({ outline, advance, left }, index) => {
    hmtx.writeUInt16BE(advance, index * 4)
    hmtx.writeInt16BE(left, index * 4 + 2)
    const padded = outline.length % 2 === 0 ? outline : Buffer.concat([outline, Buffer.alloc(1)])
    end += padded.length
    loca.writeUInt32BE(end, (index + 1) * 4)
    return padded
  })
  const kept = KEPT.flatMap((tag) => [tables.get(tag)].flatMap((table) => (table ? ([[tag, table]] as const) : [])))
  return new Map([
    ...kept,
    ['cmap', cmap],
    ['glyf', Buffer.concat(outlines)],
    ['head', head],
    ['hhea', hhea],
    ['hmtx', hmtx],
    ['loca', loca],
    ['maxp', maxp],
  ])
}
