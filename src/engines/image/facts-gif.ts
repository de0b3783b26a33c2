import type { ByteReader } from './byte-reader.ts'
import type { HeaderFacts } from './header-facts.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c

/** Counts the images by walking the blocks (GIF89a, section 15) to the end; the size is the logical screen's. */
export function gifFacts(source: ByteReader): HeaderFacts | undefined {
  const screen = source.read(0, 13)
  if (screen.length < 10 || screen.toString('latin1', 0, 4) !== 'GIF8') return undefined
  let frames = 0
  let [width, height] = [screen.readUInt16LE(6), screen.readUInt16LE(8)]
  let at = 13 + colorTableBytes(screen[10] ?? 0)
  for (;;) {
    const block = source.read(at, 10)
    if (block[0] === EXTENSION) {
      at = skipSubBlocks(source, at + 2)
    } else if (block[0] === IMAGE) {
      frames += 1
      if (block.length < 10) break
      // A screen of no size is taken to be the first picture's, as decoders do.
      if (width === 0 || height === 0) [width, height] = [block.readUInt16LE(5), block.readUInt16LE(7)]
      at = skipSubBlocks(source, at + 11 + colorTableBytes(block[9] ?? 0))
    } else {
      break
    }
  }
  source.needRest()
  return { frames: Math.max(frames, 1), orientation: 0, colorspace: 'sRGB', width, height }
}

/** The table's length by the flags of a screen or an image: 0 without one. */
const colorTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

/** Where the chain of sub-blocks at `start` ends: behind its empty one, or at the end of the bytes. */
function skipSubBlocks(source: ByteReader, start: number): number {
  let at = start
  for (;;) {
    const length = source.read(at, 1)[0]
    if (length === undefined) return at
    at += length + 1
    if (length === 0) return at
  }
}
