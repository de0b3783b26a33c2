import type { Size } from '@mediamill/contract/domain/size'
import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { any, at } from './image-format.ts'

export const gif: ImageFormat = { matches: any(at(0, 'GIF87a'), at(0, 'GIF89a')), readHeader }

const EXTENSION = 0x21
const IMAGE = 0x2c

function readHeader(source: ByteReader): HeaderMetadata | undefined {
  const walked = walkBlocks(source)
  if (walked === undefined) return undefined
  const { frames, width, height } = walked
  return { frames: Math.max(frames, 1), orientation: 0, colorspace: 'sRGB', width, height }
}

type WholeGif = {
  screen: Size
  /** Whether the first frame covers the screen. */
  isCovered: boolean
  /** The end of the last block before the trailer. */
  end: number
}

/** Returns `undefined` if the file is truncated, because libnsgif would return an incomplete last frame. */
export function readWholeGif(source: ByteReader): WholeGif | undefined {
  const walked = walkBlocks(source)
  if (walked === undefined || walked.isCutOff) return undefined
  const { width, height, isCovered, end } = walked
  return { screen: { width, height }, isCovered, end }
}

// One transparent pixel (GIF89a): a graphic control extension, and an image with its own colors.
const CLEAR_FRAME = Buffer.from('21f90401000000002c00000000010001008000000000000002024401003b', 'hex')

/** Adds a transparent frame. libvips returns alpha only for a GIF with a transparent color. */
export const withClearFrame = (gif: Buffer, { end }: WholeGif): Buffer =>
  Buffer.concat([gif.subarray(0, end), CLEAR_FRAME])

function walkBlocks(source: ByteReader) {
  const screen = source.read(0, 13)
  if (screen.length < 10 || screen.toString('latin1', 0, 4) !== 'GIF8') return undefined
  let frames = 0
  let [width, height] = [screen.readUInt16LE(6), screen.readUInt16LE(8)]
  let offset = 13 + colorTableBytes(screen[10] ?? 0)
  let [isCutOff, isCovered] = [false, false]
  while (!isCutOff) {
    const block = source.read(offset, 10)
    let end: number | undefined
    if (block[0] === EXTENSION) {
      end = skipSubBlocks(source, offset + 2)
    } else if (block[0] === IMAGE) {
      frames += 1
      if (block.length === 10) {
        if (frames === 1) {
          const [frameWidth, frameHeight] = [block.readUInt16LE(5), block.readUInt16LE(7)]
          width = Math.max(width, block.readUInt16LE(1) + frameWidth)
          height = Math.max(height, block.readUInt16LE(3) + frameHeight)
          isCovered = frameWidth === width && frameHeight === height
        }
        end = skipSubBlocks(source, offset + 11 + colorTableBytes(block[9] ?? 0))
      }
    } else {
      break
    }
    isCutOff = end === undefined
    offset = end ?? offset
  }
  source.requireRest()
  return { frames, width, height, isCutOff, isCovered, end: offset }
}

const colorTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

function skipSubBlocks(source: ByteReader, start: number): number | undefined {
  let offset = start
  for (;;) {
    const length = source.read(offset, 1)[0]
    if (length === undefined) return undefined
    offset += length + 1
    if (length === 0) return offset
  }
}
