import type { Size } from '@mediamill/contract/domain/size'

type GifFrame = Size & {
  left?: number
  top?: number
  /** The change before the next frame: 1 keeps the frame, and 2 clears its area (GIF89a, 23). */
  disposal?: number
  /** The index of the transparent color. */
  transparent?: number
  /** The index of the color of each pixel. */
  pixel: (x: number, y: number) => number
}

// A clear code before every 254th pixel keeps all codes at 9 bits.
const CLEAR = 256
const END = 257
const RUN = 254

/** Writes a GIF with these colors, of which each frame can use 256. */
export function gifOf({ width, height }: Size, colors: readonly (readonly number[])[], frames: GifFrame[]): Buffer {
  const table = Buffer.alloc(256 * 3)
  colors.forEach((color, index) => table.set(color, index * 3))
  const screen = Buffer.from([...Buffer.from('GIF89a'), ...words(width, height), 0xf7, 0, 0])
  return Buffer.concat([screen, table, ...frames.flatMap(frameBlocks), Buffer.from([0x3b])])
}

function frameBlocks({ left = 0, top = 0, width, height, disposal = 0, transparent, pixel }: GifFrame): Buffer[] {
  const flags = (disposal << 2) | (transparent === undefined ? 0 : 1)
  const control = [0x21, 0xf9, 4, flags, 10, 0, transparent ?? 0, 0]
  const codes: number[] = []
  for (let at = 0; at < width * height; at += 1) {
    if (at % RUN === 0) codes.push(CLEAR)
    codes.push(pixel(at % width, Math.floor(at / width)))
  }
  const data = packed([...codes, END])
  const blocks = Array.from({ length: Math.ceil(data.length / 255) }, (_, index) => {
    const block = data.subarray(index * 255, (index + 1) * 255)
    return Buffer.from([block.length, ...block])
  })
  return [Buffer.from([...control, 0x2c, ...words(left, top, width, height), 0, 8]), ...blocks, Buffer.from([0])]
}

const words = (...values: number[]) => values.flatMap((value) => [value & 255, value >> 8])

function packed(codes: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil((codes.length * 9) / 8))
  codes.forEach((code, index) => {
    for (let bit = 0; bit < 9; bit += 1) {
      const at = index * 9 + bit
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (((code >> bit) & 1) << (at & 7))
    }
  })
  return bytes
}
