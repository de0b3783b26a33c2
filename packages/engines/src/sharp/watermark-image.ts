import { failureOfOutput, RequestFailure } from '@mediamill/contract/domain/errors'
import { WATERMARK_FORMATS } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { watermarkSize } from '@mediamill/contract/drawing/overlays'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { assetsOf } from '@mediamill/contract/operations/schema'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import { checkMark } from '@mediamill/media/plan/image-budget'
import sharp from 'sharp'
import type { AdditionalInput } from '../protocol/messages.ts'
import type { EncodedFile } from './encoded-file.ts'
import { openEncoded } from './encoded-file.ts'
import { onScreen, readGif } from './gif-file.ts'
import { orientationOf } from './header.ts'
import { opening, profiledPixels, toScreenColors, wrapFileDecodeError } from './image.ts'
import { decodeToned } from './toned.ts'

/** The watermark images of a job. Opening an image reads its size. Pixels are decoded when they are used. */
export type Marks = {
  sizes: ReadonlyMap<string, Size>
  pixelsOf: (url: string, operation: number) => Promise<RawImage>
  /** Resizes a watermark as `scale` requires for this frame, once for each size. */
  placedOn: (frame: Size, placed: ScaledWatermark, operation: number) => Promise<RawImage>
}

type ScaledWatermark = { assetUrl: string; scale?: number | undefined }

export async function openMarks(
  operations: readonly OperationInput[],
  assets: readonly AdditionalInput[],
  limits: PixelLimits,
): Promise<Marks> {
  return openMarksOf(assetsOf(operations), assets, limits)
}

type MarkUse = { url: string; operation: number; output?: string }

export async function openMarksOf(
  uses: readonly MarkUse[],
  assets: readonly AdditionalInput[],
  limits: PixelLimits,
): Promise<Marks> {
  const files = new Map(assets.map((asset) => [asset.url, asset]))
  const opened = new Map<string, OpenedMark>()
  for (const { url, operation, output } of uses) {
    const file = files.get(url)
    if (file === undefined) throw new RangeError('the job lacks a watermark image that an operation names')
    if (opened.has(url)) continue
    try {
      opened.set(url, await openMark(file, limits, operation))
    } catch (error) {
      throw output === undefined ? error : failureOfOutput(output, error)
    }
  }
  const decoded = new Map<string, Promise<RawImage>>()
  const resized = new Map<string, Promise<RawImage>>()
  const find = (url: string) => {
    const mark = opened.get(url)
    if (mark === undefined) throw new RangeError('the job lacks a watermark image that an operation names')
    return mark
  }
  const pixelsOf = (url: string, operation: number) => {
    const pixels = decoded.get(url) ?? decode(find(url), operation)
    decoded.set(url, pixels)
    return pixels
  }
  return {
    sizes: new Map([...opened].map(([url, { size }]) => [url, size])),
    pixelsOf,
    placedOn(frame, { assetUrl, scale }, operation) {
      if (scale === undefined) return pixelsOf(assetUrl, operation)
      const size = watermarkSize(scale, frame, find(assetUrl).size)
      const key = `${size.width}x${size.height} ${assetUrl}`
      const pixels = resized.get(key) ?? pixelsOf(assetUrl, operation).then((whole) => resizePixels(whole, size))
      resized.set(key, pixels)
      return pixels
    },
  }
}

async function resizePixels({ data, width, height, channels }: RawImage, size: Size): Promise<RawImage> {
  if (width === size.width && height === size.height) return { data, width, height, channels }
  const pixels = await sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer()
  return { data: pixels, ...size, channels }
}

type OpenedMark = {
  file: EncodedFile
  /** The size of the first frame, after EXIF rotation (operations.watermark.4). */
  size: Size
}

async function openMark(asset: AdditionalInput, limits: PixelLimits, operation: number): Promise<OpenedMark> {
  const format = WATERMARK_FORMATS.find((known) => known === asset.format)
  if (format === undefined) {
    throw new RequestFailure('unsupported_media', 'A watermark image must be a JPEG, PNG, GIF, or WebP.', {
      operation,
    })
  }
  const gif = format === 'GIF' ? readGif(asset, 'watermark image', operation) : undefined
  const file = await openEncoded({ ...asset, ...gif }, format, 'watermark image', operation)
  const { header } = file
  const frame = { width: header.width, height: header.pageHeight ?? header.height }
  const stored = gif?.screen ?? frame
  checkMark(stored, limits, operation)
  const open = () => onScreen(file.open(), frame, stored)
  const size = orientationOf(header) >= 5 ? { width: stored.height, height: stored.width } : stored
  return { file: { ...file, open }, size }
}

async function decode({ file }: OpenedMark, operation: number): Promise<RawImage> {
  const run = (await inScreenColors(file, operation))
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { data, info } = await wrapFileDecodeError('watermark image', file.warnings, run, operation)
  return { data, width: info.width, height: info.height, channels: 4 }
}

async function inScreenColors({ open, profile, tone, wide, isDeepGray, warnings }: EncodedFile, operation: number) {
  const upright = open().autoOrient()
  const wrapDecodeError = <T>(run: Promise<T>) => wrapFileDecodeError('watermark image', warnings, run, operation)
  if (tone !== undefined) {
    const { data, width, height, channels } = await wrapDecodeError(decodeToned(upright, tone))
    return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  }
  if (isDeepGray) return opening(await wrapDecodeError(profiledPixels(upright, profile)))()
  return wide ? toScreenColors(upright) : upright
}
