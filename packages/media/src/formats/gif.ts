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

/**
 * Returns the screen size, or `undefined` if the file is truncated, because libnsgif would return an incomplete last
 * frame.
 */
export function sizeOfWholeGif(source: ByteReader): Size | undefined {
  const walked = walkBlocks(source)
  return walked === undefined || walked.isCutOff ? undefined : { width: walked.width, height: walked.height }
}

function walkBlocks(source: ByteReader) {
  const screen = source.read(0, 13)
  if (screen.length < 10 || screen.toString('latin1', 0, 4) !== 'GIF8') return undefined
  let frames = 0
  let [width, height] = [screen.readUInt16LE(6), screen.readUInt16LE(8)]
  let place = 13 + colorTableBytes(screen[10] ?? 0)
  let isCutOff = false
  while (!isCutOff) {
    const block = source.read(place, 10)
    let end: number | undefined
    if (block[0] === EXTENSION) {
      end = skipSubBlocks(source, place + 2)
    } else if (block[0] === IMAGE) {
      frames += 1
      if (block.length === 10) {
        if (frames === 1) {
          width = Math.max(width, block.readUInt16LE(1) + block.readUInt16LE(5))
          height = Math.max(height, block.readUInt16LE(3) + block.readUInt16LE(7))
        }
        end = skipSubBlocks(source, place + 11 + colorTableBytes(block[9] ?? 0))
      }
    } else {
      break
    }
    isCutOff = end === undefined
    place = end ?? place
  }
  source.needRest()
  return { frames, width, height, isCutOff }
}

const colorTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

function skipSubBlocks(source: ByteReader, start: number): number | undefined {
  let place = start
  for (;;) {
    const length = source.read(place, 1)[0]
    if (length === undefined) return undefined
    place += length + 1
    if (length === 0) return place
  }
}
