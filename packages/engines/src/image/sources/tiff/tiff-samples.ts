import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'

/** Where to store samples. `first` is the index of the first sample, and `step` the distance between two samples. */
type Target = { values: Uint16Array; first: number; step: number }

type Unpack = (bytes: Buffer, at: number, count: number, target: Target) => void

export function unpackerOf({ bits, format, littleEndian }: TiffPage): Unpack {
  if (format === 3) return fromFloats(FLOATS[bits] ?? float32, bits / 8, littleEndian)
  if (bits === 8) return fromBytes
  if (bits % 8 === 0) return fromWords(bits / 8, littleEndian)
  return fromBits(bits)
}

const fromBytes: Unpack = (bytes, at, count, { values, first, step }) => {
  for (let index = 0, to = first; index < count; index += 1, to += step) values[to] = (bytes[at + index] ?? 0) * 257
}

function fromWords(sampleBytes: number, littleEndian: boolean): Unpack {
  const high = littleEndian ? sampleBytes - 1 : 0
  const low = littleEndian ? sampleBytes - 2 : 1
  return (bytes, at, count, { values, first, step }) => {
    for (let index = 0, from = at, to = first; index < count; index += 1, from += sampleBytes, to += step) {
      values[to] = ((bytes[from + high] ?? 0) << 8) | (bytes[from + low] ?? 0)
    }
  }
}

function fromBits(bits: number): Unpack {
  const scale = 65_535 / (2 ** bits - 1)
  return (bytes, at, count, { values, first, step }) => {
    let [buffered, bitCount, from] = [0, 0, at]
    for (let index = 0, to = first; index < count; index += 1, to += step) {
      while (bitCount < bits) {
        // A shift is limited to 32 bits, but 31 buffered bits and 8 new bits are 39 bits.
        buffered = buffered * 256 + (bytes[from] ?? 0)
        bitCount += 8
        from += 1
      }
      bitCount -= bits
      const unit = 2 ** bitCount
      const value = Math.floor(buffered / unit)
      buffered -= value * unit
      values[to] = Math.round(value * scale)
    }
  }
}

type ReadFloat = (bytes: Buffer, at: number, littleEndian: boolean) => number

const float32: ReadFloat = (bytes, at, littleEndian) => (littleEndian ? bytes.readFloatLE(at) : bytes.readFloatBE(at))

const FLOATS: Record<number, ReadFloat> = {
  16: (bytes, at, littleEndian) => {
    const word = littleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
    return smallFloat(word, 5, 10)
  },
  24: (bytes, at, littleEndian) => {
    const word = littleEndian ? bytes.readUIntLE(at, 3) : bytes.readUIntBE(at, 3)
    return smallFloat(word, 7, 16)
  },
  32: float32,
  64: (bytes, at, littleEndian) => (littleEndian ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at)),
}

/** Converts a float of 16 or 24 bits (Adobe's technical note 3). Negative values become 0. */
function smallFloat(word: number, exponentBits: number, fractionBits: number): number {
  const fraction = word % 2 ** fractionBits
  const exponent = Math.floor(word / 2 ** fractionBits) % 2 ** exponentBits
  const bias = 2 ** (exponentBits - 1) - 1
  const isNegative = word >= 2 ** (exponentBits + fractionBits)
  if (isNegative) return 0
  if (exponent === 0) return (fraction / 2 ** fractionBits) * 2 ** (1 - bias)
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? 1 : Number.NaN
  return (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias)
}

function fromFloats(read: ReadFloat, sampleBytes: number, littleEndian: boolean): Unpack {
  return (bytes, at, count, { values, first, step }) => {
    for (let index = 0, from = at, to = first; index < count; index += 1, from += sampleBytes, to += step) {
      const value = read(bytes, from, littleEndian)
      values[to] = value > 0 ? Math.round(Math.min(1, value) * 65_535) : 0
    }
  }
}
