import type { Size } from '@mediamill/contract/domain/size'
import { tryRead } from '@mediamill/contract/lib/try-read'
import { AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { FormatContext, Stream } from 'node-av/lib'
import { WHITELIST_WITHOUT_H264 } from './codecs.ts'
import { check } from './libav.ts'

type VideoHeader = Size & {
  /** The width of a pixel relative to its height; 0 if unknown, as in libav. */
  sampleAspectRatio: { num: number; den: number }
  hasOutputOrder: boolean
}

/** The profiles whose headers contain the color format (ITU-T H.264, 7.3.2.1.1). */
const PROFILES_WITH_CHROMA_FORMAT: ReadonlySet<number> = new Set([
  100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
])

/** The sample aspect ratios by number (ITU-T H.264, table E-1). */
const ASPECTS = [
  [0, 1],
  [1, 1],
  [12, 11],
  [10, 11],
  [16, 11],
  [40, 33],
  [24, 11],
  [20, 11],
  [32, 11],
  [80, 33],
  [18, 11],
  [15, 11],
  [64, 33],
  [160, 99],
  [4, 3],
  [3, 2],
  [2, 1],
] as const
const OWN_ASPECT = 255

/** The type of frame order without reordering (ITU-T H.264, 8.2.1.3). */
const IN_ORDER = 2

const SEQUENCE_PARAMETERS = 7
const LONGEST_CODE = 31

/** Parses `avcC` (ISO/IEC 14496-15). Returns `undefined` for invalid headers and for features that need a decoder. */
export function readH264Header(configuration: Buffer): VideoHeader | undefined {
  const isOne = configuration[0] === 1 && ((configuration[5] ?? 0) & 31) === 1
  if (!isOne || configuration.length < 9) return undefined
  const header = configuration.subarray(8, 8 + configuration.readUInt16BE(6))
  if (((header[0] ?? 0) & 31) !== SEQUENCE_PARAMETERS) return undefined
  return tryRead(() => readSequence(new Bits(withoutGuards(header.subarray(1)))))
}

function readSequence(bits: Bits): VideoHeader | undefined {
  const profile = bits.read(8)
  bits.read(16)
  bits.code()
  let chroma = 1
  if (PROFILES_WITH_CHROMA_FORMAT.has(profile)) {
    chroma = bits.code()
    if (chroma > 2) return undefined
    bits.code()
    bits.code()
    bits.read(1)
    if (bits.read(1) === 1) return undefined
  }
  bits.code()
  const isInOrder = readOrder(bits) === IN_ORDER
  bits.code()
  bits.read(1)
  const columns = bits.code() + 1
  const rows = bits.code() + 1
  const fields = bits.read(1) === 1 ? 1 : 2
  if (fields === 2) bits.read(1)
  bits.read(1)
  const [left, right, top, bottom] = bits.read(1) === 1 ? fourCodes(bits) : [0, 0, 0, 0]
  const across = chroma === 0 ? 1 : 2
  const down = fields * (chroma === 1 ? 2 : 1)
  const goesOn = bits.read(1) === 1
  return {
    width: columns * 16 - (left + right) * across,
    height: rows * fields * 16 - (top + bottom) * down,
    sampleAspectRatio: goesOn ? aspectOf(bits) : { num: 0, den: 1 },
    hasOutputOrder: isInOrder || (goesOn && hasOutputOrder(bits)),
  }
}

function readOrder(bits: Bits): number {
  const kind = bits.code()
  if (kind === 0) bits.code()
  if (kind !== 1) return kind
  bits.read(1)
  bits.code()
  bits.code()
  for (let left = bits.code(); left > 0; left -= 1) bits.code()
  return kind
}

function aspectOf(bits: Bits): VideoHeader['sampleAspectRatio'] {
  const number = bits.read(1) === 1 ? bits.read(8) : 0
  if (number === OWN_ASPECT) return { num: bits.read(16), den: bits.read(16) }
  const known = ASPECTS[number]
  if (known === undefined) throw new RangeError('unknown sample aspect ratio')
  return { num: known[0], den: known[1] }
}

/** Returns whether the header has the number of reordered frames (ITU-T H.264, E.1.1). */
function hasOutputOrder(bits: Bits): boolean {
  if (bits.read(1) === 1) bits.read(1)
  // Skips the type of the video signal, and the colors.
  if (bits.read(1) === 1) {
    bits.read(4)
    if (bits.read(1) === 1) bits.read(24)
  }
  if (bits.read(1) === 1) for (let left = 2; left > 0; left -= 1) bits.code()
  if (bits.read(1) === 1) bits.read(65)
  const buffers = [skipBuffer(bits), skipBuffer(bits)]
  if (buffers.includes(true)) bits.read(1)
  // Skips a flag: whether each frame describes its fields.
  bits.read(1)
  return bits.read(1) === 1
}

/** Skips buffering parameters (ITU-T H.264, E.1.2). Returns `false` if the header contains none. */
function skipBuffer(bits: Bits): boolean {
  if (bits.read(1) === 0) return false
  const rates = bits.code() + 1
  bits.read(8)
  for (let left = rates; left > 0; left -= 1) {
    bits.code()
    bits.code()
    bits.read(1)
  }
  bits.read(20)
  return true
}

const fourCodes = (bits: Bits) => [bits.code(), bits.code(), bits.code(), bits.code()] as const

/** Removes each byte 3 that follows two zero bytes (emulation prevention). */
function withoutGuards(bytes: Buffer): Buffer {
  const plain = bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0))
  return Buffer.from(plain)
}

class Bits {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(count: number): number {
    let value = 0
    for (let left = count; left > 0; left -= 1) {
      const byte = this.#bytes[this.#at >> 3]
      if (byte === undefined) throw new RangeError('the H.264 header is truncated')
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1)
      this.#at += 1
    }
    return value
  }

  code(): number {
    let zeros = 0
    while (this.read(1) === 0) zeros += 1
    if (zeros > LONGEST_CODE) throw new RangeError('a number in the H.264 header is too long')
    return 2 ** zeros - 1 + this.read(zeros)
  }
}

/**
 * Makes libav use a complete H.264 header, because otherwise libav would decode several frames. Returns `undefined` if
 * the header is not complete.
 */
export function takeHeader(context: FormatContext): { complete: () => void } | undefined {
  const videoStreams = context.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  const [video] = videoStreams
  if (context.iformat?.name?.startsWith('mov') !== true || video === undefined || videoStreams.length > 1)
    return undefined
  // The header of a fragmented MP4 does not count the frames. libav must decode frames of such a file.
  const header = video.nbFrames > 0n ? headerOf(video) : undefined
  if (header === undefined) return undefined
  const { videoDelay } = video.codecpar
  check(context.setOption('codec_whitelist', WHITELIST_WITHOUT_H264), 'leave out a decoder')
  return {
    complete() {
      const { codecpar } = video
      codecpar.sampleAspectRatio = header.sampleAspectRatio as typeof codecpar.sampleAspectRatio
      // The index has the exact number of reordered frames. Without a decoder, libav assumes fewer.
      codecpar.videoDelay = Math.max(videoDelay, codecpar.videoDelay)
    },
  }
}

function headerOf({ codecpar }: Stream): ReturnType<typeof readH264Header> {
  const { codecId, codecTagString, extradata, width, height } = codecpar
  // In the format `avc3`, each frame may have its own header.
  if (codecId !== AV_CODEC_ID_H264 || codecTagString !== 'avc1' || extradata === null) return undefined
  const header = readH264Header(extradata)
  return header?.width === width && header.height === height ? header : undefined
}
