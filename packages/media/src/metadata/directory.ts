/** A directory entry. `data` is little-endian. In `CopiedEntry`, `copy` is the encoded entry. */
export type DirectoryEntry = { tag: number; type: number; count: number; data: Buffer }
export type CopiedEntry = { tag: number; copy: Buffer }

const ENTRY_BYTES = 12

/** Encodes a directory and its values (TIFF 6.0, section 2). `at` is the offset of the directory in the file. */
export function writeDirectory(entries: readonly (DirectoryEntry | CopiedEntry)[], at: number): Buffer {
  const sorted = entries.toSorted((one, other) => one.tag - other.tag)
  const table = Buffer.alloc(2 + sorted.length * ENTRY_BYTES + 4)
  table.writeUInt16LE(sorted.length, 0)
  const values: Buffer[] = []
  let end = at + table.length
  for (const [index, entry] of sorted.entries()) {
    const start = 2 + index * ENTRY_BYTES
    if ('copy' in entry) {
      entry.copy.copy(table, start)
      continue
    }
    const { tag, type, count, data } = entry
    table.writeUInt16LE(tag, start)
    table.writeUInt16LE(type, start + 2)
    table.writeUInt32LE(count, start + 4)
    if (data.length <= 4) {
      data.copy(table, start + 8)
      continue
    }
    table.writeUInt32LE(end, start + 8)
    // Values must start at even offsets.
    const padded = data.length % 2 === 0 ? data : Buffer.concat([data, Buffer.alloc(1)])
    values.push(padded)
    end += padded.length
  }
  return Buffer.concat([table, ...values])
}
