import type { BmpHeader } from '@mediamill/media/formats/bmp'

/** Decodes runs of 4, 8, or 24 bits, top row first. `isWhole` is false if data is missing. */
export function decodeRuns(
  data: Buffer,
  header: BmpHeader,
  colors: Uint32Array,
): { pixels: Uint32Array; isWhole: boolean } {
  const { width, height, isTopDown, compression } = header
  const pixels = new Uint32Array(width * height)
  const literal = LITERALS[compression === 'rle4' ? 'rle4' : compression === 'rle24' ? 'rle24' : 'rle8']
  let [x, y, at] = [0, 0, 0]
  const rowStart = () => (isTopDown ? y : height - 1 - y) * width
  while (y < height && at + 1 < data.length) {
    const count = data[at] ?? 0
    const code = data[at + 1] ?? 0
    if (count > 0) {
      const [start, end] = [rowStart() + Math.min(x, width), rowStart() + Math.min(x + count, width)]
      if (compression === 'rle4' && code >> 4 !== (code & 15)) {
        for (let to = start; to < end; to += 1) pixels[to] = colors[(to - start) & 1 ? code & 15 : code >> 4] ?? 0
      } else {
        pixels.fill(literal.color(data, at + 1, 0, colors), start, end)
      }
      x += count
      at += 1 + literal.runBytes
    } else if (code === END_OF_LINE) {
      x = 0
      y += 1
      at += 2
    } else if (code === END_OF_BITMAP) {
      return { pixels, isWhole: true }
    } else if (code === JUMP) {
      x += data[at + 2] ?? 0
      y += data[at + 3] ?? 0
      at += 4
    } else {
      const start = rowStart() + x
      const shown = Math.min(code, width - x)
      for (let index = 0; index < shown; index += 1) pixels[start + index] = literal.color(data, at + 2, index, colors)
      x += code
      const bytes = literal.bytes(code)
      // Literal pixels are padded to an even number of bytes.
      at += 2 + bytes + (bytes & 1)
    }
  }
  return { pixels, isWhole: y >= height || (y === height - 1 && x >= width) }
}

const END_OF_LINE = 0
const END_OF_BITMAP = 1
const JUMP = 2

type Literal = {
  runBytes: number
  bytes: (pixels: number) => number
  color: (data: Buffer, start: number, index: number, colors: Uint32Array) => number
}

const LITERALS: Record<'rle4' | 'rle8' | 'rle24', Literal> = {
  rle4: {
    runBytes: 1,
    bytes: (pixels) => (pixels + 1) >> 1,
    color: (data, start, index, colors) => {
      const pair = data[start + (index >> 1)] ?? 0
      return colors[index & 1 ? pair & 15 : pair >> 4] ?? 0
    },
  },
  rle8: {
    runBytes: 1,
    bytes: (pixels) => pixels,
    color: (data, start, index, colors) => colors[data[start + index] ?? 0] ?? 0,
  },
  rle24: {
    runBytes: 3,
    bytes: (pixels) => pixels * 3,
    color: (data, start, index) => {
      const at = start + index * 3
      return ((0xff << 24) | ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)) >>> 0
    },
  },
}
