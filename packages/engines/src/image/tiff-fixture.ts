import { deflateSync, zstdCompressSync } from 'node:zlib'

/** The contents of a TIFF. The writer shares no code with the reader, so that a test compares two implementations. */
export type TiffParts = {
  width: number
  height: number
  photometric: number
  bits: number
  /** The type of the samples: 1 unsigned, 2 signed, 3 float. */
  format?: 1 | 2 | 3
  compression?: number
  big?: boolean
  planar?: boolean
  /** `rows` is the height of a strip. If `tile` is set, the image has tiles instead of strips. */
  rows?: number
  tile?: [width: number, height: number]
  predictor?: 1 | 2 | 3
  samples: number
  extra?: number[]
  pixel: (x: number, y: number) => readonly number[]
  /** For YCbCr: how many pixels across and down share the color of the first pixel. */
  shared?: [number, number]
  fields?: Field[]
}

type Field = readonly [tag: number, type: 1 | 3 | 4 | 5 | 7, values: readonly number[]]

export function tiffFile(parts: TiffParts): Buffer {
  const { width, height, samples, bits, big = false, compression = 1, planar = false, rows = 5, tile, shared } = parts
  const [chunkWidth, chunkHeight] = tile ?? [width, rows]
  const chunks: Buffer[] = []
  for (const plane of planar ? Array.from({ length: samples }, (_, index) => index) : [undefined]) {
    for (let top = 0; top < height; top += chunkHeight) {
      for (let left = 0; left < width; left += chunkWidth) {
        const bottom = tile === undefined ? Math.min(height, top + chunkHeight) : top + chunkHeight
        const area = { left, top, right: left + chunkWidth, bottom }
        chunks.push(pack(chunkBytes(parts, area, plane), compression))
      }
    }
  }
  const number = (value: number, bytes: number) => {
    const data = Buffer.alloc(bytes)
    if (big) data.writeUIntBE(value, 0, bytes)
    else data.writeUIntLE(value, 0, bytes)
    return data
  }
  let end = 8
  const offsets = chunks.map((chunk) => {
    const start = end
    end += chunk.length
    return start
  })
  const lengths = chunks.map((chunk) => chunk.length)
  const fields: Field[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array<number>(samples).fill(bits)],
    [259, 3, [compression]],
    [262, 3, [parts.photometric]],
    [277, 3, [samples]],
    [284, 3, [planar ? 2 : 1]],
    [317, 3, [parts.predictor ?? 1]],
    [339, 3, Array<number>(samples).fill(parts.format ?? 1)],
    ...(tile === undefined
      ? ([
          [273, 4, offsets],
          [278, 4, [rows]],
          [279, 4, lengths],
        ] as const)
      : ([
          [322, 4, [tile[0]]],
          [323, 4, [tile[1]]],
          [324, 4, offsets],
          [325, 4, lengths],
        ] as const)),
    ...(parts.extra === undefined ? [] : ([[338, 3, parts.extra]] as const)),
    ...(parts.photometric === 6 ? ([[530, 3, shared ?? [1, 1]]] as const) : []),
    ...(parts.fields ?? []),
  ]
  fields.sort(([one], [other]) => one - other)
  let outside = end + 2 + fields.length * 12 + 4
  const long: Buffer[] = []
  const entries = fields.map(([tag, type, values]) => {
    const bytes = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1 }[type]
    const data = Buffer.concat(
      values.map((value) =>
        type === 5 ? Buffer.concat([number(Math.round(value * 1e6), 4), number(1e6, 4)]) : number(value, bytes),
      ),
    )
    const head = [number(tag, 2), number(type, 2), number(values.length, 4)]
    if (data.length <= 4) return Buffer.concat([...head, data, Buffer.alloc(4 - data.length)])
    const at = outside
    outside += data.length
    long.push(data)
    return Buffer.concat([...head, number(at, 4)])
  })
  const start = Buffer.concat([Buffer.from(big ? 'MM\0*' : 'II*\0', 'latin1'), number(end, 4)])
  return Buffer.concat([start, ...chunks, number(fields.length, 2), ...entries, Buffer.alloc(4), ...long])
}

type Area = { left: number; top: number; right: number; bottom: number }

function chunkBytes(parts: TiffParts, area: Area, plane: number | undefined): Buffer {
  const { width, height, pixel, shared = [1, 1] } = parts
  const at = (x: number, y: number) => pixel(Math.min(x, width - 1), Math.min(y, height - 1))
  const isColorPlane = plane === 1 || plane === 2
  const [across, down] = shared[0] * shared[1] > 1 && plane !== 0 ? shared : [1, 1]
  const rows: number[][] = []
  for (let y = area.top; y < area.bottom; y += down) {
    const row: number[] = []
    for (let x = area.left; x < area.right; x += across) {
      if (plane !== undefined) row.push(at(x, y)[isColorPlane ? plane : (plane ?? 0)] ?? 0)
      else if (across * down === 1) row.push(...at(x, y))
      else {
        for (let dy = 0; dy < down; dy += 1) for (let dx = 0; dx < across; dx += 1) row.push(at(x + dx, y + dy)[0] ?? 0)
        row.push(...at(x, y).slice(1))
      }
    }
    rows.push(row)
  }
  return Buffer.concat(rows.map((row) => rowBytes(parts, row, plane === undefined ? parts.samples : 1)))
}

function rowBytes({ bits, format = 1, big = false, predictor = 1 }: TiffParts, row: number[], step: number): Buffer {
  const differences = row.map((value, at) => (predictor === 2 && at >= step ? value - (row[at - step] ?? 0) : value))
  if (format === 3) {
    const floats = row.map((value) => floatBytes(value, bits))
    if (predictor === 3) {
      // Stores all highest bytes first. Each byte is stored as its difference from the same byte of the previous pixel.
      const planes = Array.from({ length: bits / 8 }, (_, byte) => floats.map((float) => float[byte] ?? 0)).flat()
      return Buffer.from(planes.map((byte, at) => (at >= step ? byte - (planes[at - step] ?? 0) : byte)))
    }
    return Buffer.concat(big ? floats : floats.map((float) => Buffer.from(float).reverse()))
  }
  const whole = differences.map((value) => BigInt.asUintN(bits, BigInt(value)))
  if (bits % 8 === 0) {
    const bytes = whole.map((value) => Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex'))
    return Buffer.concat(big ? bytes : bytes.map((each) => each.reverse()))
  }
  const text = whole.map((value) => value.toString(2).padStart(bits, '0')).join('')
  return Buffer.from((text.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

/** Encodes a float, big-endian. */
function floatBytes(value: number, bits: number): Buffer {
  const bytes = Buffer.alloc(8)
  if (bits === 64) bytes.writeDoubleBE(value)
  else bytes.writeFloatBE(value)
  if (bits >= 32) return bytes.subarray(0, bits / 8)
  const [exponentBits, fractionBits] = bits === 16 ? [5, 10] : [7, 16]
  const word = bytes.readUInt32BE()
  if (word === 0) return Buffer.alloc(bits / 8)
  const exponent = ((word >> 23) & 255) - 127 + 2 ** (exponentBits - 1) - 1
  const small = exponent * 2 ** fractionBits + ((word & 0x7fffff) >> (23 - fractionBits))
  const out = Buffer.alloc(bits / 8)
  out.writeUIntBE(small, 0, bits / 8)
  return out
}

function pack(bytes: Buffer, compression: number): Buffer {
  if (compression === 5) return lzw(bytes)
  if (compression === 8 || compression === 32_946) return deflateSync(bytes)
  if (compression === 50_000) return zstdCompressSync(bytes)
  if (compression !== 32_773) return bytes
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    let same = 1
    while (same < 128 && bytes[at + same] === bytes[at]) same += 1
    parts.push(Buffer.of(same === 1 ? 0 : 257 - same, bytes[at] ?? 0))
    at += same
  }
  return Buffer.concat(parts)
}

function lzw(bytes: Buffer): Buffer {
  const out: number[] = []
  let [bits, bitCount, width, next] = [0, 0, 9, 258]
  let codes = new Map<string, number>()
  const put = (code: number) => {
    bits = (bits << width) | code
    for (bitCount += width; bitCount >= 8; bitCount -= 8) out.push((bits >> (bitCount - 8)) & 255)
    bits &= (1 << bitCount) - 1
  }
  const codeOf = (text: string) => (text.length === 1 ? text.charCodeAt(0) : (codes.get(text) ?? 0))
  put(256)
  let text = ''
  for (const byte of bytes.toString('latin1')) {
    if (text === '' || codes.has(text + byte)) {
      text += byte
      continue
    }
    put(codeOf(text))
    codes.set(text + byte, next)
    next += 1
    if (next >= 1 << width) width += 1
    if (next === 4094) {
      put(256)
      codes = new Map()
      ;[width, next] = [9, 258]
    }
    text = byte
  }
  if (text !== '') put(codeOf(text))
  next += 1
  if (next >= 1 << width) width += 1
  put(257)
  if (bitCount > 0) out.push((bits << (8 - bitCount)) & 255)
  return Buffer.from(out)
}
