import { RequestFailure } from '@mediamill/contract/domain/errors'
import { WATERMARK_FORMATS } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { assetsOf } from '@mediamill/contract/operations/schema'
import type { RawPicture } from '@mediamill/media/pixels/raw-picture'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import { checkMark } from '@mediamill/media/plan/image-budget'
import sharp from 'sharp'
import type { EngineAsset } from '../protocol/messages.ts'
import type { EncodedFile } from './encoded-file.ts'
import { openEncoded } from './encoded-file.ts'
import { orientationOf } from './header.ts'
import { opening, orDamagedFile, profiledPixels, toScreenColors } from './picture.ts'
import { decodeToned } from './toned.ts'

/**
 * The watermark images of a request. Their sizes are known before anything is decoded, their pixels when they are
 * drawn.
 */
export type Marks = {
  sizes: ReadonlyMap<string, Size>
  pixelsOf: (url: string, operation: number) => Promise<RawPicture>
}

/**
 * Reads the headers of the watermark images that the operations name.
 *
 * Throws `RequestFailure` with the operation's index for one that is missing, no picture, or too large.
 */
export async function openMarks(
  operations: readonly OperationInput[],
  assets: readonly EngineAsset[],
  limits: PixelLimits,
): Promise<Marks> {
  const files = new Map(assets.map((asset) => [asset.url, asset]))
  const opened = new Map<string, OpenedMark>()
  for (const { url, operation } of assetsOf(operations)) {
    const file = files.get(url)
    if (file === undefined) throw new RangeError('an asset of the request is not in the job')
    if (!opened.has(url)) opened.set(url, await openMark(file, limits, operation))
  }
  const decoded = new Map<string, Promise<RawPicture>>()
  return {
    sizes: new Map([...opened].map(([url, { size }]) => [url, size])),
    pixelsOf(url, operation) {
      const mark = opened.get(url)
      if (mark === undefined) throw new RangeError('an asset of the request is not in the job')
      const pixels = decoded.get(url) ?? decode(mark, operation)
      decoded.set(url, pixels)
      return pixels
    },
  }
}

type OpenedMark = {
  file: EncodedFile
  /** Once it is turned upright by its EXIF (rulings 15); of an animation, its first frame's. */
  size: Size
}

async function openMark(asset: EngineAsset, limits: PixelLimits, operation: number): Promise<OpenedMark> {
  const format = WATERMARK_FORMATS.find((known) => known === asset.format)
  if (format === undefined) {
    throw new RequestFailure('unsupported_media', 'A watermark image has to be a JPEG, PNG, GIF or WebP.', {
      operation,
    })
  }
  const file = await openEncoded(asset, format, 'watermark image', operation)
  const { header } = file
  const stored = { width: header.width, height: header.pageHeight ?? header.height }
  checkMark(stored, limits, operation)
  const size = orientationOf(header) >= 5 ? { width: stored.height, height: stored.width } : stored
  return { file, size }
}

async function decode({ file }: OpenedMark, operation: number): Promise<RawPicture> {
  const run = (await inScreenColors(file, operation))
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { data, info } = await orDamagedFile('watermark image', file.warnings, run, operation)
  return { data, width: info.width, height: info.height, channels: 4 }
}

/** The picture upright, on its way to sRGB. */
async function inScreenColors({ open, profile, tone, wide, isDeepGrey, warnings }: EncodedFile, operation: number) {
  const upright = open().autoOrient()
  const orDamaged = <T>(run: Promise<T>) => orDamagedFile('watermark image', warnings, run, operation)
  if (tone !== undefined) {
    const { data, width, height, channels } = await orDamaged(decodeToned(upright, tone))
    return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  }
  if (isDeepGrey) return opening(await orDamaged(profiledPixels(upright, profile)))()
  return wide ? toScreenColors(upright) : upright
}
