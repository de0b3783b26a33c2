import { readFile } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import sharp from 'sharp'
import { RequestFailure } from '../../domain/errors.ts'
import type { ImageSourceFormat, SourceFormat } from '../../domain/media.ts'
import { SOURCE_FORMATS } from '../../domain/media.ts'
import type { Size } from '../../domain/size.ts'
import { bufferReader } from '../../media/formats/byte-reader.ts'
import { isCutOff } from '../../media/formats/cut-off.ts'
import { factsOf } from '../../media/formats/facts.ts'
import { sizeOfWholeGif } from '../../media/formats/gif.ts'
import { readItems } from '../../media/formats/heif/heif-items.ts'
import { heifProfile } from '../../media/formats/heif/heif-profile.ts'
import { headerBoxes } from '../../media/formats/heif/iso-bmff.ts'
import type { RawPicture } from '../../media/pixels/raw-picture.ts'
import type { ImageSource } from '../../media/plan/image.ts'
import type { PixelLimits } from '../../media/plan/image-budget.ts'
import type { EngineFile } from '../protocol/messages.ts'
import { openEncoded } from '../sharp/encoded-file.ts'
import type { Content } from '../sharp/header.ts'
import { contentOf, inputOptions, lookInto, orDamagedHeader, orientationOf } from '../sharp/header.ts'
import type { JpegWarnings } from '../sharp/jpeg-warnings.ts'
import { collectWarnings } from '../sharp/jpeg-warnings.ts'
import type { EncodedPicture, Picture } from '../sharp/picture.ts'
import { damaged, isWide, orDamagedFile, toStrip, withinProfile } from '../sharp/picture.ts'
import { rawTiff } from '../sharp/raw-tiff.ts'
import { decodeToned } from '../sharp/toned.ts'
import { decodeBmp } from './sources/decode-bmp.ts'
import type { HeicPicture } from './sources/decode-heic.ts'
import { decodeHeic } from './sources/decode-heic.ts'
import { decodeTiff } from './sources/tiff/decode-tiff.ts'
import { decoderOf } from './sources/tiff/tiff-kind.ts'
import { readTiffPage } from './sources/tiff/tiff-page.ts'

/** How an animation plays: milliseconds for each frame, and how often it repeats (0 for ever). */
export type Timing = { delays: number[]; loop: number }

/** A source whose header is read and whose pixels are not. */
export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** The picture to decode: all frames of an animation, or the first alone. */
  picture: (animated: boolean) => Promise<Picture>
  /** Throws `RequestFailure` for a file that ends before its picture does, where decoding a part of it would not find out. */
  refuseCutOff: () => void
}

/** Reads a picture's header. Throws `RequestFailure` when there is none to read. */
export async function openSource(file: EngineFile, limits: PixelLimits): Promise<OpenedSource> {
  const format = imageFormat(file.format)
  switch (format) {
    case 'BMP':
      return openOwn(file, format, async (bytes) => bitmapPicture(decodeBmp(bytes, limits.maxFramePixels)))
    case 'HEIC':
      return openOwn(file, format, async (bytes) => heicPicture(decodeHeic(bytes, limits.maxFramePixels)))
    case 'TIFF':
      return openTiff(file)
    case 'JPEG':
    case 'PNG':
    case 'GIF':
    case 'WEBP':
    case 'AVIF':
      return openWithSharp(file, format)
  }
}

async function openTiff(file: EngineFile): Promise<OpenedSource> {
  const content = contentOf(file)
  const page = tryRead(() => lookInto(content, file.size, readTiffPage))
  // What has no such page, libvips refuses with its reason.
  if (page === undefined || decoderOf(page) === 'libvips') return openWithSharp({ ...file, content }, 'TIFF')
  const { width, height, orientation } = page
  return {
    source: { format: 'TIFF', width, height, frames: 1, orientation: orientationOf({ orientation }) },
    timing: { delays: [], loop: 0 },
    picture: async () => {
      const plain = tryRead(() => lookInto(content, file.size, (source) => decodeTiff(source, page)))
      if (plain === undefined)
        throw damaged('source picture', new Error('a strip or tile of the TIFF is missing or broken'))
      const opened = await openWithSharp({ ...file, content: plain, size: plain.length }, 'TIFF')
      return opened.picture(false)
    },
    // `decodeTiff` reads all of it.
    refuseCutOff: () => {},
  }
}

/** What is read, or `undefined` where a read went past the end. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function openWithSharp(
  file: EngineFile & { content?: Content },
  format: ImageSourceFormat,
): Promise<OpenedSource> {
  const encoded = await openEncoded(file, format, 'source picture')
  const { content, header, wide, open, warnings, tone } = encoded
  const drawn = { width: header.width, height: header.pageHeight ?? header.height }
  const size = format === 'GIF' ? gifSize(file, content) : drawn
  // Only what the container calls an animation or pages is one; an AVIF's images are its alternatives.
  const coded = format === 'AVIF' && header.icc === undefined ? codedProfileOf(file, content) : undefined
  const frames = format === 'GIF' || format === 'WEBP' || format === 'TIFF' ? (header.pages ?? 1) : 1
  return {
    source: { format, ...size, frames, orientation: orientationOf(header) },
    timing: { delays: header.delay ?? [], loop: header.loop ?? 0 },
    async picture(animated) {
      if (coded !== undefined) return codedPicture(content, coded)
      if (tone !== undefined) {
        return rawPicture(await orDamagedFile('source picture', warnings, decodeToned(open(), tone)))
      }
      const picture: EncodedPicture = {
        kind: 'encoded',
        format,
        ...drawn,
        frames: animated ? frames : 1,
        profile: encoded.profile,
        grey: isGrey(header),
        wide,
        open: (part) => open(part ?? { animated }),
        warnings,
      }
      if (encoded.isDeepGrey) return { ...picture, open: await withinProfile(picture, picture.open()) }
      return isSame(size, drawn) ? picture : onScreen(picture, size)
    },
    refuseCutOff() {
      if (format !== 'JPEG' && format !== 'PNG') return
      const isShort = lookInto(content, file.size, (source) => isCutOff(source, format))
      if (isShort) throw damaged('source picture', new Error(`the ${format} ends before its picture does`))
    },
  }
}

/** The profile that an AVIF's colour codes stand for: libvips takes such pixels for sRGB. */
function codedProfileOf({ size }: EngineFile, content: Content): Buffer | undefined {
  try {
    const { meta } = lookInto(content, size, headerBoxes)
    return meta === undefined ? undefined : heifProfile(readItems(meta))
  } catch (error) {
    // libheif reads the file, but not so these tables.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function codedPicture(content: Content, profile: Buffer): Promise<Picture> {
  const run = sharp(content, inputOptions('AVIF')).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await orDamagedFile('source picture', [], run)
  const { file: tiff, pixels } = rawTiff(
    info,
    { colors: 'rgb', alpha: info.channels === 4 ? 'straight' : 'none', bits: 8 },
    profile,
  )
  data.copy(pixels)
  return profiledPicture('AVIF', info, profile, tiff)
}

/** libvips takes an animation's last frame as far as it goes, whatever `failOn` says: a file cut off is refused here. */
function gifSize({ size }: EngineFile, content: Content): Size {
  const whole = lookInto(content, size, sizeOfWholeGif)
  if (whole === undefined) throw damaged('source picture', new Error('the GIF ends within a block'))
  if (whole.width === 0 || whole.height === 0) throw damaged('source picture', new Error('the GIF has no size'))
  return whole
}

const isSame = (one: Size, other: Size) => one.width === other.width && one.height === other.height

/**
 * A GIF on its whole screen, and on no more.
 *
 * libnsgif takes some screens for monitors and leaves out what no frame reaches; and it grows for every frame that
 * sticks out, where browsers make room for the first one alone.
 */
async function onScreen(picture: EncodedPicture, { width, height }: Size): Promise<Picture> {
  const inside = { left: 0, top: 0, width: Math.min(width, picture.width), height: Math.min(height, picture.height) }
  const missing = { right: width - inside.width, bottom: height - inside.height }
  const background = { r: 0, g: 0, b: 0, alpha: 0 }
  const strip = await toStrip(picture, (image) => image.extract(inside).extend({ ...missing, background }))
  return { kind: 'raw', strip }
}

/** A format that libvips cannot decode: its header is read, and its pixels decoded, by our own code. */
async function openOwn(
  file: EngineFile,
  format: 'BMP' | 'HEIC',
  decode: (bytes: Buffer) => Promise<Picture>,
): Promise<OpenedSource> {
  const bytes = await readFile(file.path)
  const facts = factsOf(bytes, format)
  return {
    // A HEIC's size is that after its container's turns, and a bitmap has no other orientation than its own.
    source: { format, width: facts.width, height: facts.height, frames: 1, orientation: 1 },
    timing: { delays: [], loop: 0 },
    picture: async () => {
      const picture = await decode(bytes)
      const { width, height } = picture.kind === 'raw' ? picture.strip : picture
      if (width === facts.width && height === facts.height) return picture
      throw damaged(
        'source picture',
        new Error(`the header says ${facts.width} × ${facts.height}, not ${width} × ${height}`),
      )
    },
    // `decode` finds it out: it leaves no part of the file out.
    refuseCutOff: () => {},
  }
}

async function bitmapPicture(decoded: ReturnType<typeof decodeBmp>): Promise<Picture> {
  if (!('embedded' in decoded)) return rawPicture(decoded)
  const { embedded } = decoded
  if (isCutOff(bufferReader(embedded), embedded[0] === 0xff ? 'JPEG' : 'PNG'))
    throw damaged('source picture', new Error('the file within the bitmap ends before its picture does'))
  const header = await orDamagedHeader(sharp(embedded, inputOptions('BMP')).metadata(), 'source picture')
  const { width, height } = header
  const warnings: JpegWarnings = []
  return {
    kind: 'encoded',
    format: 'BMP',
    width,
    height,
    frames: 1,
    profile: undefined,
    grey: isGrey(header),
    wide: isWide(header),
    open: () => collectWarnings(sharp(embedded, inputOptions('BMP')), warnings),
    warnings,
  }
}

const heicPicture = ({ picture, profile, tiff }: HeicPicture): Picture =>
  profile === undefined ? rawPicture(picture) : profiledPicture('HEIC', picture, profile, tiff)

/** Decoded pixels in a container that holds the profile too. */
function profiledPicture(format: 'AVIF' | 'HEIC', { width, height }: Size, profile: Buffer, tiff: Buffer): Picture {
  const still = { kind: 'encoded', format, frames: 1, profile, grey: false, wide: false } as const
  return { ...still, warnings: [], width, height, open: () => sharp(tiff, inputOptions(format)) }
}

const isGrey = ({ space }: Metadata) => space === 'b-w' || space === 'grey16'

function rawPicture({ data, width, height, channels }: RawPicture): Picture {
  if (channels < 3) throw new TypeError(`${channels} channels are not a colour picture`)
  return { kind: 'raw', strip: { data, width, height, channels: channels === 3 ? 3 : 4, frames: 1 } }
}

function imageFormat(format: SourceFormat): ImageSourceFormat {
  const found = SOURCE_FORMATS.image.find((known) => known === format)
  if (found === undefined) throw new RequestFailure('unsupported_media', 'The source is not a picture.')
  return found
}
