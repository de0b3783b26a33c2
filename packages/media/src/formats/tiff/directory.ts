import type { ByteReader } from '../byte-reader.ts'

/** The format of a file. `big`: offsets have 64 bits (BigTIFF). `first` is the offset of the first directory. */
export type Layout = { littleEndian: boolean; big: boolean; first: number }

export function readLayout(source: ByteReader): Layout | undefined {
  const head = source.read(0, 16)
  if (head.length < 8) return undefined
  const littleEndian = head.toString('latin1', 0, 2) === 'II'
  if (!littleEndian && head.toString('latin1', 0, 2) !== 'MM') return undefined
  const layout = { littleEndian, big: false, first: 0 }
  const version = unsigned(head, 2, 2, littleEndian)
  if (version === 42) return { ...layout, first: unsigned(head, 4, 4, littleEndian) }
  if (version === 43 && head.length === 16) return { ...layout, big: true, first: unsigned(head, 8, 8, littleEndian) }
  return undefined
}

/** A directory entry. The file contains the value, or the offset of the value, at the offset `field`. */
export type Entry = { type: number; count: number; field: number }

type Directory = { values: Map<number, number>; entries: Map<number, Entry>; next: number }

export function readDirectory(source: ByteReader, layout: Layout, at: number): Directory {
  const { littleEndian, big } = layout
  const entryBytes = big ? 20 : 12
  const { start, count } = directoryStart(source, layout, at)
  const entries = source.read(start, count * entryBytes)
  const values = new Map<number, number>()
  const all = new Map<number, Entry>()
  for (let entry = 0; entry + entryBytes <= entries.length; entry += entryBytes) {
    const tag = unsigned(entries, entry, 2, littleEndian)
    const type = unsigned(entries, entry + 2, 2, littleEndian)
    const count = unsigned(entries, entry + 4, big ? 8 : 4, littleEndian)
    if (!all.has(tag)) all.set(tag, { type, count, field: start + entry + (big ? 12 : 8) })
    const bytes = INTEGER_BYTES[type]
    if (bytes === undefined || values.has(tag)) continue
    values.set(tag, unsigned(entries, entry + (big ? 12 : 8), bytes, littleEndian))
  }
  return { values, entries: all, next: nextDirectory(source, layout, at) }
}

/** The size in bytes of the integer types BYTE, SHORT, LONG, and LONG8 of BigTIFF, by type number. */
const INTEGER_BYTES: Record<number, 1 | 2 | 4 | 8> = { 1: 1, 3: 2, 4: 4, 16: 8 }

function directoryStart(
  source: ByteReader,
  { littleEndian, big }: Layout,
  at: number,
): { start: number; count: number } {
  const countBytes = big ? 8 : 2
  const head = source.read(at, countBytes)
  if (head.length < countBytes) return { start: at + countBytes, count: 0 }
  // A directory has at most one entry for each 16-bit tag.
  return { start: at + countBytes, count: Math.min(unsigned(head, 0, countBytes, littleEndian), 65_536) }
}

export function nextDirectory(source: ByteReader, layout: Layout, at: number): number {
  const { start, count } = directoryStart(source, layout, at)
  const bytes = layout.big ? 8 : 4
  const pointer = source.read(start + count * (layout.big ? 20 : 12), bytes)
  return pointer.length < bytes ? 0 : unsigned(pointer, 0, bytes, layout.littleEndian)
}

export function unsigned(bytes: Buffer, at: number, length: 1 | 2 | 4 | 8, littleEndian: boolean): number {
  if (length === 8) return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return littleEndian ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length)
}

export function valueAt(source: ByteReader, { big, littleEndian }: Layout, field: number, length: number): Buffer {
  const pointerBytes = big ? 8 : 4
  if (length <= pointerBytes) return source.read(field, length)
  const pointer = source.read(field, pointerBytes)
  if (pointer.length < pointerBytes) return pointer
  return source.read(unsigned(pointer, 0, pointerBytes, littleEndian), length)
}
