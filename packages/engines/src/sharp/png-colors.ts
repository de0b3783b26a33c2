import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { Colorants } from '@mediamill/media/formats/icc-profile'
import { codedProfile, colorProfile, SRGB_COLORANTS } from '@mediamill/media/formats/icc-profile'
import { PNG_HEADER_END, pngChunks, writePngChunk } from '@mediamill/media/formats/png'
import { colorantsOf, toSrgbLight } from './chromaticities.ts'
import type { Content } from './header.ts'
import { withByteReader } from './header.ts'
import type { Tone } from './toned.ts'

/** A PNG, and how to convert its colors. `tone` is set if the PNG is not sRGB and has no profile. */
type ColoredPng = { content: Content; tone: Tone | undefined }

/**
 * Adds a profile for the chunks cICP or gAMA, which libvips ignores. Gray and 16-bit images with gAMA get a tone curve
 * instead, because lcms is inexact in dark tones.
 */
export function coloredPng(content: Content, size: number): ColoredPng {
  const colors = withByteReader(content, size, readColorChunks)
  const meaning = colors === undefined ? undefined : meaningOf(colors)
  if (colors === undefined || meaning === undefined) return { content, tone: undefined }
  const bytes = typeof content === 'string' ? readFileSync(content) : content
  const parts = [...colors.others, bytes.subarray(colors.end)]
  if ('tone' in meaning)
    return { content: Buffer.concat([bytes.subarray(0, PNG_HEADER_END), ...parts]), tone: meaning.tone }
  const profile = Buffer.concat([Buffer.from('mediamill\0\0', 'latin1'), deflateSync(meaning.profile)])
  const chunk = writePngChunk('iCCP', profile)
  return { content: Buffer.concat([bytes.subarray(0, PNG_HEADER_END), chunk, ...parts]), tone: undefined }
}

type ColorChunks = {
  isGray: boolean
  isDeep: boolean
  data: Map<string, Buffer>
  /** Chunks that do not describe color, up to the palette or the pixels. */
  others: Buffer[]
  end: number
}

const COLOR_CHUNKS: ReadonlySet<string> = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'])

// The maximum bytes before the pixels. libvips opens a PNG with more bytes unchanged.
const MAX_BYTES = 16 * 1024 * 1024

function readColorChunks(source: ByteReader): ColorChunks | undefined {
  const [bits, colorType] = source.read(24, 2)
  const data = new Map<string, Buffer>()
  const others: [start: number, length: number][] = []
  let end: number | undefined
  for (const { type, start, length } of pngChunks(source, PNG_HEADER_END)) {
    if (start - 8 > MAX_BYTES) return undefined
    if (type === 'IDAT' || type === 'PLTE' || type === 'IEND') {
      end = start - 8
      break
    }
    if (!COLOR_CHUNKS.has(type)) others.push([start - 8, length + 12])
    else if (!data.has(type)) data.set(type, Buffer.from(source.read(start, Math.min(length, MAX_BYTES))))
  }
  if (end === undefined || (!data.has('gAMA') && !data.has('cICP'))) return undefined
  return {
    isGray: colorType === 0 || colorType === 4,
    isDeep: bits === 16,
    data,
    others: others.map(([start, length]) => Buffer.from(source.read(start, length))),
    end,
  }
}

type Meaning = { profile: Buffer } | { tone: Tone }

function meaningOf({ isGray, isDeep, data }: ColorChunks): Meaning | undefined {
  const coded = data.get('cICP')
  // A PNG contains RGB, so codes with a matrix are invalid.
  if (coded?.length === 4 && coded[2] === 0) {
    const profile = isGray ? undefined : codedProfile(coded[0] ?? 0, coded[1] ?? 0)
    return profile === undefined ? undefined : { profile }
  }
  const own = data.get('iCCP')
  if (data.has('sRGB') || (own !== undefined && isProfile(own, isGray ? 'GRAY' : 'RGB '))) return undefined
  const light = lightOf(data.get('gAMA'), data.get('cHRM'))
  if (light === undefined) return undefined
  const { toLinear, colorants } = light
  if (isGray) return { tone: { toLinear, mix: undefined } }
  return isDeep ? { tone: { toLinear, mix: toSrgbLight(colorants) } } : { profile: colorProfile(colorants, toLinear) }
}

/** A gamma this close to sRGB counts as sRGB if there are no primaries, as in libpng. */
const GAMMA_TOLERANCE = 0.05

type Light = { toLinear: (value: number) => number; colorants: Colorants }

function lightOf(gamma: Buffer | undefined, primaries: Buffer | undefined): Light | undefined {
  const exponent = gamma?.length === 4 ? gamma.readUInt32BE(0) / 100_000 : 0
  if (exponent === 0) return undefined
  if (primaries === undefined && Math.abs(exponent * 2.2 - 1) < GAMMA_TOLERANCE) return undefined
  const colorants = primaries === undefined ? SRGB_COLORANTS : colorantsIn(primaries)
  // If the primaries are invalid, the gamma is ignored too.
  return colorants === undefined ? undefined : { toLinear: (value) => value ** (1 / exponent), colorants }
}

function colorantsIn(chunk: Buffer): Colorants | undefined {
  if (chunk.length !== 32) return undefined
  const point = (at: number) => [chunk.readUInt32BE(at) / 100_000, chunk.readUInt32BE(at + 4) / 100_000] as const
  return colorantsOf({ white: point(0), red: point(8), green: point(16), blue: point(24) })
}

function isProfile(chunk: Buffer, space: 'RGB ' | 'GRAY'): boolean {
  // Skips the name of the profile, its terminating zero, and the compression method.
  const start = chunk.indexOf(0) + 2
  try {
    const profile = inflateSync(chunk.subarray(start), { maxOutputLength: MAX_BYTES })
    return profile.toString('latin1', 16, 20) === space && profile.toString('latin1', 36, 40) === 'acsp'
  } catch {
    return false
  }
}
