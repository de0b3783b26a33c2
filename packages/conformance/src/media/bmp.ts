import type { Image } from './image.ts'

const HEADER = 14 + 124

/** Encodes a BMP. Stores `profile` as the color profile, even if it is invalid. */
export function encodeBmp({ width, height, pixels }: Image, profile: Buffer): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const data = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red = 0, green = 0, blue = 0] = pixels.subarray((y * width + x) * 4)
      data.set([blue, green, red], (height - 1 - y) * stride + x * 3)
    }
  }
  const head = Buffer.alloc(HEADER)
  head.write('BM', 0, 'latin1')
  head.writeUInt32LE(HEADER + data.length + profile.length, 2)
  head.writeUInt32LE(HEADER, 10)
  head.writeUInt32LE(124, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(24, 28)
  head.writeUInt32LE(data.length, 34)
  head.write('DEBM', 14 + 56, 'latin1')
  head.writeUInt32LE(HEADER - 14 + data.length, 14 + 112)
  head.writeUInt32LE(profile.length, 14 + 116)
  return Buffer.concat([head, data, profile])
}
