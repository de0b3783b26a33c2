/** The value of an EXIF tag: text, integers (5 is stored as 5/1), or another directory. */
type Value = string | readonly number[] | Directory
export type Directory = ReadonlyMap<number, Value>

export const EXIF_TAGS = {
  make: 271,
  model: 272,
  artist: 315,
  copyright: 33_432,
  exif: 34_665,
  gps: 34_853,
  capturedAt: 36_867,
  latitudeRef: 1,
  latitude: 2,
  longitudeRef: 3,
  longitude: 4,
} as const

export function encodeExif(directory: Directory): Buffer {
  const head = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])
  return Buffer.concat([head, encodeDirectory(directory, head.length)])
}

/** Encodes a directory: its entries, and then their values. `start` is the offset of the directory in the block. */
function encodeDirectory(directory: Directory, start: number): Buffer {
  const entries = [...directory].toSorted(([one], [other]) => one - other)
  const table = Buffer.alloc(2 + entries.length * 12 + 4)
  table.writeUInt16LE(entries.length, 0)
  const values: Buffer[] = []
  let end = start + table.length
  entries.forEach(([tag, value], index) => {
    const [type, count, data] = encodeValue(value, end)
    const at = 2 + index * 12
    table.writeUInt16LE(tag, at)
    table.writeUInt16LE(type, at + 2)
    table.writeUInt32LE(count, at + 4)
    if (data.length <= 4) data.copy(table, at + 8)
    else table.writeUInt32LE(end, at + 8)
    if (value instanceof Map) table.writeUInt32LE(end, at + 8)
    if (data.length <= 4 && !(value instanceof Map)) return
    values.push(data)
    end += data.length
  })
  return Buffer.concat([table, ...values])
}

function encodeValue(value: Value, start: number): [type: number, count: number, data: Buffer] {
  if (typeof value === 'string') {
    const text = Buffer.from(`${value}\0`)
    return [2, text.length, text]
  }
  if (value instanceof Map) return [4, 1, encodeDirectory(value, start)]
  const numbers = [...(value as readonly number[])]
  const data = Buffer.alloc(numbers.length * 8)
  numbers.forEach((number, index) => {
    data.writeUInt32LE(number, index * 8)
    data.writeUInt32LE(1, index * 8 + 4)
  })
  return [5, numbers.length, data]
}
