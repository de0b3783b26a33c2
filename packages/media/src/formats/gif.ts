import type { Size } from '@mediamill/contract/domain/size'
import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { any, at } from './image-format.ts'

export const gif: ImageFormat = { matches: any(at(0, 'GIF87a'), at(0, 'GIF89a')), readHeader }

const EXTENSION = 0x21
const GRAPHIC_CONTROL = 0xf9
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
  /** The frames whose area becomes transparent before the next frame, and that have no transparent color. */
  cleared: ClearedFrame[]
  /** The end of the last block before the trailer. */
  end: number
}

/** `control` is the offset of the graphic control extension. `unused` is the index of a color without pixels. */
type ClearedFrame = { control: number; unused: number }

/** Returns `undefined` if the file is truncated, because libnsgif would return an incomplete last frame. */
export function readWholeGif(source: ByteReader): WholeGif | undefined {
  const walked = walkBlocks(source)
  if (walked === undefined || walked.isCutOff) return undefined
  const { width, height, isCovered, disposed, end } = walked
  const cleared = disposed.flatMap(({ control, data }) => {
    const unused = unusedColor(source, data)
    return unused === undefined ? [] : [{ control, unused }]
  })
  return { screen: { width, height }, isCovered, cleared, end }
}

// One transparent pixel (GIF89a): a graphic control extension, and an image with its own colors.
const CLEAR_FRAME = Buffer.from('21f90401000000002c00000000010001008000000000000002024401003b', 'hex')

/**
 * Makes the area that frames do not cover, or no longer cover, transparent, as in browsers. libvips returns alpha only
 * for a GIF with a transparent color, so a transparent frame is added if the first frame does not cover the screen.
 * libnsgif fills the area of a removed frame with the background color if the frame has no transparent color.
 */
export function withTransparency(gif: Buffer, { isCovered, cleared, end }: WholeGif): Buffer {
  const bytes = isCovered ? Buffer.from(gif) : Buffer.concat([gif.subarray(0, end), CLEAR_FRAME])
  for (const { control, unused } of cleared) {
    bytes.writeUInt8(bytes.readUInt8(control + 3) | HAS_TRANSPARENT_COLOR, control + 3)
    bytes.writeUInt8(unused, control + 6)
  }
  return bytes
}

type Frame = Size & {
  control: number
  isOpaque: boolean
  /** Whether the area of the frame becomes transparent before the next frame. */
  isRemoved: boolean
  restoresPrevious: boolean
  data: number
  left: number
  top: number
}

const HAS_TRANSPARENT_COLOR = 1
const RESTORE_BACKGROUND = 2
const RESTORE_PREVIOUS = 3

function walkBlocks(source: ByteReader) {
  const screen = source.read(0, 13)
  if (screen.length < 10 || screen.toString('latin1', 0, 4) !== 'GIF8') return undefined
  let frames = 0
  let [width, height] = [screen.readUInt16LE(6), screen.readUInt16LE(8)]
  let offset = 13 + colorTableBytes(screen[10] ?? 0)
  let [isCutOff, isCovered] = [false, false]
  let control: number | undefined
  let last: Frame | undefined
  const disposed: Frame[] = []
  while (!isCutOff) {
    const block = source.read(offset, 10)
    let end: number | undefined
    if (block[0] === EXTENSION) {
      if (block[1] === GRAPHIC_CONTROL) control = offset
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
        const data = offset + 10 + colorTableBytes(block[9] ?? 0)
        const frame = frameOf(source, { control, block, data, last })
        if (last?.isRemoved === true && last.isOpaque && !covers(frame, last)) disposed.push(last)
        ;[last, control] = [frame, undefined]
        end = skipSubBlocks(source, data + 1)
      }
    } else {
      break
    }
    isCutOff = end === undefined
    offset = end ?? offset
  }
  source.requireRest()
  return { frames, width, height, isCutOff, isCovered, disposed, end: offset }
}

function frameOf(
  source: ByteReader,
  {
    control = 0,
    block,
    data,
    last,
  }: { control: number | undefined; block: Buffer; data: number; last: Frame | undefined },
): Frame {
  const flags = control === 0 ? 0 : (source.read(control + 3, 1)[0] ?? 0)
  const disposal = (flags >> 2) & 7
  const restoresPrevious = disposal === RESTORE_PREVIOUS
  const isNothingBefore = last === undefined || last.isRemoved
  return {
    control,
    isOpaque: (flags & HAS_TRANSPARENT_COLOR) === 0,
    isRemoved: disposal === RESTORE_BACKGROUND || (restoresPrevious && isNothingBefore),
    restoresPrevious,
    data,
    left: block.readUInt16LE(1),
    top: block.readUInt16LE(3),
    width: block.readUInt16LE(5),
    height: block.readUInt16LE(7),
  }
}

/** Returns whether nothing of `other` is visible while `frame` is shown, or afterwards. */
const covers = (frame: Frame, other: Frame): boolean =>
  frame.isOpaque &&
  !frame.restoresPrevious &&
  frame.left <= other.left &&
  frame.top <= other.top &&
  frame.left + frame.width >= other.left + other.width &&
  frame.top + frame.height >= other.top + other.height

const MAX_BITS = 12

/**
 * Returns a color index that no pixel of a frame has. The first pixel of each color is a code of its own (LZW), so the
 * codes contain all colors of the frame. `data` is the offset of the minimum code size.
 */
function unusedColor(source: ByteReader, data: number): number | undefined {
  const [colorBits = 0] = source.read(data, 1)
  if (colorBits < 8) return 255
  const used = new Set<number>()
  const clear = 1 << colorBits
  let [bits, entries, buffer, held] = [colorBits + 1, clear + 1, 0, 0]
  for (let at = data + 1; ; ) {
    const [length = 0] = source.read(at, 1)
    if (length === 0) break
    for (const byte of source.read(at + 1, length)) {
      buffer |= byte << held
      held += 8
      if (held < bits) continue
      const code = buffer & ((1 << bits) - 1)
      buffer >>= bits
      held -= bits
      if (code < clear) used.add(code)
      if (code === clear) [bits, entries] = [colorBits + 1, clear + 1]
      else entries += 1
      if (entries === 1 << bits && bits < MAX_BITS) bits += 1
    }
    at += length + 1
  }
  for (let index = 255; index >= 0; index -= 1) if (!used.has(index)) return index
  return undefined
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
