import type { Image } from './image.ts'

export function encodeTiff({ width, height, pixels }: Image, orientation: number): Buffer {
  const data = Buffer.alloc(width * height * 3)
  for (let index = 0; index < width * height; index += 1) pixels.copy(data, index * 3, index * 4, index * 4 + 3)
  const entries: readonly (readonly [tag: number, type: number, count: number, value: number])[] = [
    [256, 3, 1, width],
    [257, 3, 1, height],
    [258, 3, 3, 8 + data.length],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [273, 4, 1, 8],
    [274, 3, 1, orientation],
    [277, 3, 1, 3],
    [278, 3, 1, height],
    [279, 4, 1, data.length],
  ]
  const head = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0])
  head.writeUInt32LE(8 + data.length + 6, 4)
  const bits = Buffer.from([8, 0, 8, 0, 8, 0])
  const directory = Buffer.alloc(2 + entries.length * 12 + 4)
  directory.writeUInt16LE(entries.length, 0)
  entries.forEach(([tag, type, count, value], index) => {
    const at = 2 + index * 12
    directory.writeUInt16LE(tag, at)
    directory.writeUInt16LE(type, at + 2)
    directory.writeUInt32LE(count, at + 4)
    directory.writeUInt32LE(value, at + 8)
  })
  return Buffer.concat([head, data, bits, directory])
}
