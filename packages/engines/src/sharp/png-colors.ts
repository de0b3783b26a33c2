import { readFileSync } from 'node:fs'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { Colorants } from '@mediamill/media/formats/icc-profile'
import { codedProfile, colorProfile, SRGB_COLORANTS } from '@mediamill/media/formats/icc-profile'
import { PNG_HEADER_END, pngChunks } from '@mediamill/media/formats/png'
import { colorantsOf, toSrgbLight } from './chromaticities.ts'
import type { Content } from './header.ts'
import { lookInto } from './header.ts'
import type { Tone } from './toned.ts'

/** A PNG to decode, and the light that its values mean. The light is there where neither sRGB nor a profile says it. */
export type ColoredPng = { content: Content; tone: Tone | undefined }

/**
 * Prepares a PNG whose colours are given by cICP, or gAMA and cHRM. The result says them in a form that can be drawn.
 *
 * libvips knows profiles alone and takes all else for sRGB, so that colours get a profile in place of those chunks. Grey
 * and 16 bits get a table: there lcms is off by up to ten levels where tones are dark. The order of precedence is that
 * of the PNG specification (third edition, 13.13), and the pixels are those that Chromium shows. A PNG that says
 * nothing of the kind stays as it is, a path a path.
 */
export function coloredPng(content: Content, size: number): ColoredPng {
  const colors = lookInto(content, size, readColorChunks)
  const meaning = colors === undefined ? undefined : meaningOf(colors)
  if (colors === undefined || meaning === undefined) return { content, tone: undefined }
  const bytes = typeof content === 'string' ? readFileSync(content) : content
  const parts = [...colors.others, bytes.subarray(colors.end)]
  if ('tone' in meaning)
    return { content: Buffer.concat([bytes.subarray(0, PNG_HEADER_END), ...parts]), tone: meaning.tone }
  const chunk = profileChunk(meaning.profile)
  return { content: Buffer.concat([bytes.subarray(0, PNG_HEADER_END), chunk, ...parts]), tone: undefined }
}

type ColorChunks = {
  isGrey: boolean
  isDeep: boolean
  /** The first chunk of each kind. */
  data: Map<string, Buffer>
  /** The other chunks before the palette and the pixels, whole. */
  others: Buffer[]
  /** Where the palette or the pixels begin. */
  end: number
}

const COLOR_CHUNKS: ReadonlySet<string> = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'])

// Exif and text may be long, a profile has some kilobytes: what is longer is left for libvips to judge.
const MOST_BYTES = 16 * 1024 * 1024

/** Reads the chunks before the palette and the pixels; `undefined` where none of them needs a profile in its place. */
function readColorChunks(source: ByteReader): ColorChunks | undefined {
  const [bits, colorType] = source.read(24, 2)
  const data = new Map<string, Buffer>()
  const others: [start: number, length: number][] = []
  let end: number | undefined
  for (const { type, start, length } of pngChunks(source, PNG_HEADER_END)) {
    if (start - 8 > MOST_BYTES) return undefined
    if (type === 'IDAT' || type === 'PLTE' || type === 'IEND') {
      end = start - 8
      break
    }
    if (!COLOR_CHUNKS.has(type)) others.push([start - 8, length + 12])
    else if (!data.has(type)) data.set(type, Buffer.from(source.read(start, Math.min(length, MOST_BYTES))))
  }
  if (end === undefined || (!data.has('gAMA') && !data.has('cICP'))) return undefined
  return {
    isGrey: colorType === 0 || colorType === 4,
    isDeep: bits === 16,
    data,
    others: others.map(([start, length]) => Buffer.from(source.read(start, length))),
    end,
  }
}

type Meaning = { profile: Buffer } | { tone: Tone }

/** What the chunks say of the pixels; `undefined` where the PNG's own profile says it, or where they say sRGB. */
function meaningOf({ isGrey, isDeep, data }: ColorChunks): Meaning | undefined {
  const coded = data.get('cICP')
  // Pixels that are no RGB (a matrix) do not exist in a PNG: such codes are no codes.
  if (coded?.length === 4 && coded[2] === 0) {
    const profile = isGrey ? undefined : codedProfile(coded[0] ?? 0, coded[1] ?? 0)
    return profile === undefined ? undefined : { profile }
  }
  const own = data.get('iCCP')
  if (data.has('sRGB') || (own !== undefined && isProfile(own, isGrey ? 'GRAY' : 'RGB '))) return undefined
  const light = lightOf(data.get('gAMA'), data.get('cHRM'))
  if (light === undefined) return undefined
  const { toLinear, colorants } = light
  if (isGrey) return { tone: { toLinear, mix: undefined } }
  return isDeep ? { tone: { toLinear, mix: toSrgbLight(colorants) } } : { profile: colorProfile(colorants, toLinear) }
}

/** How far a gamma may be off that of screens and still means sRGB, where nothing is said of the primaries (libpng). */
const GAMMA_TOLERANCE = 0.05

type Light = { toLinear: (value: number) => number; colorants: Colorants }

function lightOf(gamma: Buffer | undefined, primaries: Buffer | undefined): Light | undefined {
  const exponent = gamma?.length === 4 ? gamma.readUInt32BE(0) / 100_000 : 0
  if (exponent === 0) return undefined
  if (primaries === undefined && Math.abs(exponent * 2.2 - 1) < GAMMA_TOLERANCE) return undefined
  const colorants = primaries === undefined ? SRGB_COLORANTS : colorantsIn(primaries)
  // Primaries that mean nothing take the gamma with them.
  return colorants === undefined ? undefined : { toLinear: (value) => value ** (1 / exponent), colorants }
}

function colorantsIn(chunk: Buffer): Colorants | undefined {
  if (chunk.length !== 32) return undefined
  const point = (at: number) => [chunk.readUInt32BE(at) / 100_000, chunk.readUInt32BE(at + 4) / 100_000] as const
  return colorantsOf({ white: point(0), red: point(8), green: point(16), blue: point(24) })
}

/** Whether an iCCP chunk holds a profile of colours such as the PNG's: any other is ignored, and gAMA counts. */
function isProfile(chunk: Buffer, space: 'RGB ' | 'GRAY'): boolean {
  // Behind the name, its end and the method of compression.
  const start = chunk.indexOf(0) + 2
  try {
    const profile = inflateSync(chunk.subarray(start), { maxOutputLength: MOST_BYTES })
    return profile.toString('latin1', 16, 20) === space && profile.toString('latin1', 36, 40) === 'acsp'
  } catch {
    return false
  }
}

function profileChunk(profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('iCCPmediamill\0\0', 'latin1'), deflateSync(profile)])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(body.length - 4)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
