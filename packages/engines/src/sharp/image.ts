import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import type { Metadata, Sharp } from 'sharp'
import sharp from 'sharp'
import type { JpegWarnings } from './jpeg-warnings.ts'
import { damageIn } from './jpeg-warnings.ts'
import { allowProfiledPixels } from './loaders.ts'
import { rawTiff } from './raw-tiff.ts'
import { deepValues, toByte } from './toned.ts'

/** An image that is not decoded yet. `width` and `height` are the size of one frame. */
export type EncodedImage = {
  kind: 'encoded'
  format: ImageSourceFormat
  open: (part?: { page: number; pages: number }) => Sharp
  warnings: JpegWarnings
  profile: Buffer | undefined
  /** Whether the image is gray. Drawing colors on a gray image requires three channels. */
  gray: boolean
  wide: boolean
  width: number
  height: number
  frames: number
}

export type Image = EncodedImage | { kind: 'raw'; strip: Filmstrip }

export function openImage(image: Image): Sharp {
  if (image.kind === 'encoded') return image.wide ? toScreenColors(image.open()) : image.open()
  const { data, width, height, channels, frames } = image.strip
  const raw = { width, height: height * frames, channels, ...(frames > 1 && { pageHeight: height }) }
  // The plan limits intermediate images, so sharp must not reject large images.
  return sharp(data, { raw, animated: frames > 1, limitInputPixels: false })
}

/**
 * Returns whether an image has 16 bits and a profile. sharp converts it to Display P3 instead of sRGB (0.35,
 * `pipeline.cc`).
 */
export const isWide = ({ space, icc }: Metadata) => space === 'rgb16' && icc !== undefined

/** Converts a wide-gamut image to sRGB. Call it after drawing. */
export const toScreenColors = (image: Sharp) => image.withIccProfile('srgb', { attach: false })

/** Draws 8-bit pixels with their color profile. Returns a function that opens the drawn pixels. */
export async function withinProfile(image: EncodedImage, drawn: Sharp): Promise<() => Sharp> {
  return opening(await wrapDecodeError(image, profiledPixels(drawn, image.gray ? image.profile : undefined)))
}

export async function profiledPixels(drawn: Sharp, gray: Buffer | undefined): Promise<Buffer> {
  const kept = drawn.keepIccProfile()
  if (gray === undefined) return kept.tiff({ compression: 'none' }).toBuffer()
  const { values, channels, ...size } = await deepValues(kept, 'grey16')
  const { file, pixels } = rawTiff(size, { colors: 'gray', alpha: channels === 2 ? 'straight' : 'none', bits: 8 }, gray)
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = toByte(values[at] ?? 0)
  return file
}

export function opening(tiff: Buffer): () => Sharp {
  allowProfiledPixels()
  return () => sharp(tiff, { limitInputPixels: false })
}

export async function toStrip(image: Image, draw: (image: Sharp) => Sharp): Promise<Filmstrip> {
  const frames = framesIn(image)
  const run = draw(openImage(image)).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await wrapDecodeError(image, run)
  if (info.channels !== 3 && info.channels !== 4) throw new TypeError(`${info.channels} channels are not a color image`)
  return { data, width: info.width, height: info.height / frames, channels: info.channels, frames }
}

export const framesIn = (image: Image) => (image.kind === 'raw' ? image.strip.frames : image.frames)

/** Reports an error of `run` as a damaged file if `run` decodes the image. */
export async function wrapDecodeError<T>(image: Image, run: Promise<T>): Promise<T> {
  if (image.kind === 'raw') return run
  return wrapFileDecodeError('source image', image.warnings, run)
}

/** Reports errors of `run`, and warnings about damage, as a damaged file. */
export async function wrapFileDecodeError<T>(
  subject: Parameters<typeof damaged>[0],
  warnings: JpegWarnings,
  run: Promise<T>,
  operation?: number,
): Promise<T> {
  let result: T
  try {
    result = await run
  } catch (error) {
    throw damaged(subject, error, operation)
  }
  const damage = damageIn(warnings)
  if (damage !== undefined) throw damaged(subject, new Error(damage), operation)
  return result
}

export function damaged(
  subject: 'source image' | 'watermark image',
  cause: unknown,
  operation?: number,
): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The ${subject} is damaged or incomplete and cannot be decoded. Check that the file opens in a viewer and was uploaded completely.`,
    { cause, operation },
  )
}
