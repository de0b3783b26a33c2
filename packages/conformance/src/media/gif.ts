const CLEAR = 4
const END = 5

/** A frame of one color. `delay` is in hundredths of a second. */
type GifFrame = { color: 0 | 1; delay: number }

/** Encodes an animation of 2 × 2 pixels. Color 0 is red, and color 1 is blue. */
export function encodeGif(frames: readonly GifFrame[]): Buffer {
  const head = Buffer.from('GIF89a\u0002\0\u0002\0\u00f1\0\0', 'latin1')
  const palette = Buffer.from([220, 20, 30, 30, 40, 210, 0, 0, 0, 0, 0, 0])
  const loop = Buffer.from('!\u00ff\u000bNETSCAPE2.0\u0003\u0001\0\0\0', 'latin1')
  const images = frames.map(({ color, delay }) =>
    Buffer.concat([
      Buffer.from([0x21, 0xf9, 4, 0, delay & 255, delay >> 8, 0, 0]),
      Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0]),
      encodePixels(color),
    ]),
  )
  return Buffer.concat([head, palette, loop, ...images, Buffer.of(0x3b)])
}

/** Encodes four pixels of one color. A clear code before every pair of pixels keeps codes 3 bits long. */
function encodePixels(color: number): Buffer {
  const codes = [CLEAR, color, color, CLEAR, color, color, END]
  const bits = codes.reduce((sum, code, index) => sum + code * 2 ** (3 * index), 0)
  const data = Buffer.alloc(3)
  data.writeUIntLE(bits, 0, 3)
  return Buffer.concat([Buffer.of(2, data.length), data, Buffer.of(0)])
}

/** Returns the duration of an animation, in hundredths of a second. */
export function durationOf(gif: Buffer): number {
  let total = 0
  for (let at = gif.indexOf(CONTROL); at >= 0; at = gif.indexOf(CONTROL, at + 1)) total += gif.readUInt16LE(at + 4)
  return total
}

/** The start of a graphic control extension, which contains the duration of a frame. */
const CONTROL = Buffer.from([0x21, 0xf9, 4])
