/** The tables of a font by tag (ISO/IEC 14496-22). */
export type FontTables = Map<string, Buffer>

export function readTables(font: Buffer): FontTables {
  const tables: FontTables = new Map()
  const count = font.readUInt16BE(4)
  for (let entry = 12; entry < 12 + count * 16; entry += 16) {
    const start = font.readUInt32BE(entry + 8)
    const table = font.subarray(start, start + font.readUInt32BE(entry + 12))
    tables.set(font.toString('latin1', entry, entry + 4), table)
  }
  return tables
}

export function tableOf(tables: FontTables, tag: string): Buffer {
  const table = tables.get(tag)
  if (table === undefined) throw new RangeError(`the font has no table ${tag}`)
  return table
}

/** Encodes a font. Checksums are 0, because FreeType ignores them. */
export function writeTables(tables: FontTables): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1))
  const head = Buffer.alloc(12 + sorted.length * 16)
  head.writeUInt32BE(0x00010000, 0)
  head.writeUInt16BE(sorted.length, 4)
  const parts: Buffer[] = [head]
  let end = head.length
  sorted.forEach(([tag, table], index) => {
    const entry = 12 + index * 16
    head.write(tag, entry, 'latin1')
    head.writeUInt32BE(end, entry + 8)
    head.writeUInt32BE(table.length, entry + 12)
    const padding = Buffer.alloc(-table.length & 3)
    parts.push(table, padding)
    end += table.length + padding.length
  })
  return Buffer.concat(parts)
}

/** Returns offsets in `glyf`. The outline of glyph n is between the offsets n and n + 1. */
export function readLocations(tables: FontTables): number[] {
  const loca = tableOf(tables, 'loca')
  const isLong = tableOf(tables, 'head').readUInt16BE(50) === 1
  const count = tableOf(tables, 'maxp').readUInt16BE(4) + 1
  return Array.from({ length: count }, (_, index) =>
    isLong ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2,
  )
}

export function readMetrics(tables: FontTables): { advance: number; left: number }[] {
  const hmtx = tableOf(tables, 'hmtx')
  const wide = tableOf(tables, 'hhea').readUInt16BE(34)
  return Array.from({ length: tableOf(tables, 'maxp').readUInt16BE(4) }, (_, index) => ({
    advance: hmtx.readUInt16BE(Math.min(index, wide - 1) * 4),
    left: index < wide ? hmtx.readInt16BE(index * 4 + 2) : hmtx.readInt16BE(wide * 4 + (index - wide) * 2),
  }))
}
