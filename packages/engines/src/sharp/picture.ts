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

/** A picture still in its file's encoding; `width` and `height` are one frame's. */
export type EncodedPicture = {
  kind: 'encoded'
  format: ImageSourceFormat
  /** A new sharp on the encoded picture, or on a part of its frames: each runs one pipeline. */
  open: (part?: { page: number; pages: number }) => Sharp
  /** What its decoder has warned of so far. */
  warnings: JpegWarnings
  /** The colour profile that its pixels are still to be taken out of. */
  profile: Buffer | undefined
  /** Whether it has one channel of brightness: what is drawn in colour needs three. */
  grey: boolean
  /** Whether sharp takes its colours for wide ones: see `isWide`. */
  wide: boolean
  width: number
  height: number
  frames: number
}

/** A picture on its way through the stages. */
export type Picture = EncodedPicture | { kind: 'raw'; strip: Filmstrip }

/** A sharp to draw on, whatever state the picture is in. */
export function openPicture(picture: Picture): Sharp {
  if (picture.kind === 'encoded') return picture.wide ? toScreenColors(picture.open()) : picture.open()
  const { data, width, height, channels, frames } = picture.strip
  const raw = { width, height: height * frames, channels, ...(frames > 1 && { pageHeight: height }) }
  // The plan bounds intermediate pictures; sharp's own limit on inputs would refuse large ones.
  return sharp(data, { raw, animated: frames > 1, limitInputPixels: false })
}

/**
 * Tells whether sharp converts the picture's profile into Display P3 and not sRGB. It does so with 16 bits (sharp 0.35,
 * `pipeline.cc`), and unasked leaves them there.
 */
export const isWide = ({ space, icc }: Metadata) => space === 'rgb16' && icc !== undefined

/** Takes the colours of a wide picture to sRGB, after all that is drawn. */
export const toScreenColors = (image: Sharp) => image.withIccProfile('srgb', { attach: false })

/** Writes 8-bit pixels that keep their colour profile; gives a way to open them. */
export async function withinProfile(picture: EncodedPicture, drawn: Sharp): Promise<() => Sharp> {
  return opening(await orDamaged(picture, profiledPixels(drawn, picture.grey ? picture.profile : undefined)))
}

/** Makes a file of 8-bit pixels that keep their colour profile. `grey` says that the profile is one of grey pixels. */
export async function profiledPixels(drawn: Sharp, grey: Buffer | undefined): Promise<Buffer> {
  const kept = drawn.keepIccProfile()
  if (grey === undefined) return kept.tiff({ compression: 'none' }).toBuffer()
  const { values, channels, ...size } = await deepValues(kept, 'grey16')
  const { file, pixels } = rawTiff(size, { colors: 'grey', alpha: channels === 2 ? 'straight' : 'none', bits: 8 }, grey)
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = toByte(values[at] ?? 0)
  return file
}

/** Ways to open such a file. */
export function opening(tiff: Buffer): () => Sharp {
  allowProfiledPixels()
  return () => sharp(tiff, { limitInputPixels: false })
}

/** Runs a pipeline to raw pixels. */
export async function toStrip(picture: Picture, draw: (image: Sharp) => Sharp): Promise<Filmstrip> {
  const frames = framesIn(picture)
  const run = draw(openPicture(picture)).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await orDamaged(picture, run)
  if (info.channels !== 3 && info.channels !== 4)
    throw new TypeError(`${info.channels} channels are not a colour picture`)
  return { data, width: info.width, height: info.height / frames, channels: info.channels, frames }
}

export const framesIn = (picture: Picture) => (picture.kind === 'raw' ? picture.strip.frames : picture.frames)

/**
 * Awaits a run over a picture. While the picture is still encoded, what goes wrong is the file's fault and the client's
 * to know.
 */
export async function orDamaged<T>(picture: Picture, run: Promise<T>): Promise<T> {
  if (picture.kind === 'raw') return run
  return orDamagedFile('source picture', picture.warnings, run)
}

/** Awaits a run over a file. What goes wrong, or is warned of until it settles, is the file's fault. */
export async function orDamagedFile<T>(
  what: Parameters<typeof damaged>[0],
  warnings: JpegWarnings,
  run: Promise<T>,
  operation?: number,
): Promise<T> {
  let result: T
  try {
    result = await run
  } catch (error) {
    throw damaged(what, error, operation)
  }
  const damage = damageIn(warnings)
  if (damage !== undefined) throw damaged(what, new Error(damage), operation)
  return result
}

/** The failure of a file that says it is a picture and cannot be decoded. */
export function damaged(
  what: 'source picture' | 'watermark image',
  cause: unknown,
  operation?: number,
): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The ${what} is damaged or incomplete and cannot be decoded. Check that the file opens in a viewer and was uploaded whole.`,
    { cause, ...(operation !== undefined && { operation }) },
  )
}
