import { open } from 'node:fs/promises'
import type { ByteReader } from './byte-reader.ts'
import { fileReader, firstBytes } from './byte-reader.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c

/**
 * Whether a GIF file ends within a block (GIF89a, section 15): libvips draws what there is of it and says nothing.
 *
 * A file that lacks only its trailer is whole, as is one with anything behind its last block.
 */
export async function isCutOff(path: string, size: number): Promise<boolean> {
  await using file = await open(path)
  const source = fileReader(file.fd, size, firstBytes(size))
  let at = 13 + colorTableBytes(source.read(10, 1)[0])
  for (;;) {
    if (at > source.size) return true
    const block = source.read(at, 10)
    if (block[0] === EXTENSION) at = afterSubBlocks(source, at + 2)
    // Behind the image's table stands one byte, the size of its codes.
    else if (block[0] === IMAGE) at = afterSubBlocks(source, at + 11 + colorTableBytes(block[9]))
    else return false
  }
}

/** The table's length by the flags of a screen or an image: 0 without one. */
const colorTableBytes = (flags = 0) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

/** Where the chain of sub-blocks ends, or a place past the file's end when it has none. */
function afterSubBlocks(source: ByteReader, start: number): number {
  let at = start
  for (;;) {
    const length = source.read(at, 1)[0]
    if (length === undefined) return source.size + 1
    at += length + 1
    if (length === 0) return at
  }
}
