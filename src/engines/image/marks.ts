import sharp from 'sharp'
import { RequestFailure } from '../../domain/errors.ts'
import { WATERMARK_FORMATS } from '../../domain/media.ts'
import type { Size } from '../../operations/operation.ts'
import type { OperationInput } from '../../operations/schema.ts'
import { assetsOf } from '../../operations/schema.ts'
import type { PixelLimits } from '../../plan/image-budget.ts'
import { checkMark } from '../../plan/image-budget.ts'
import type { EngineAsset } from '../messages.ts'
import type { Content } from './header.ts'
import { contentOf, inputOptions, orientationOf, readHeader } from './header.ts'
import type { JpegWarnings } from './jpeg-warnings.ts'
import { collectWarnings } from './jpeg-warnings.ts'
import { isWide, orDamagedFile, toScreenColors } from './picture.ts'
import type { RawPicture } from './raw-picture.ts'

/** The watermark images of a request: their sizes before anything is decoded, their pixels when they are drawn. */
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
  format: (typeof WATERMARK_FORMATS)[number]
  content: Content
  /** Once it is turned upright by its EXIF (rulings 15); of an animation, its first frame's. */
  size: Size
  wide: boolean
}

async function openMark(asset: EngineAsset, limits: PixelLimits, operation: number): Promise<OpenedMark> {
  const format = WATERMARK_FORMATS.find((known) => known === asset.format)
  if (format === undefined) {
    throw new RequestFailure('unsupported_media', 'A watermark image has to be a JPEG, PNG, GIF or WebP.', {
      operation,
    })
  }
  const content = contentOf(asset)
  const header = await readHeader(content, format, 'watermark image', operation)
  const stored = { width: header.width, height: header.pageHeight ?? header.height }
  checkMark(stored, limits, operation)
  const size = orientationOf(header) >= 5 ? { width: stored.height, height: stored.width } : stored
  return { format, content, size, wide: isWide(header) }
}

async function decode({ format, content, wide }: OpenedMark, operation: number): Promise<RawPicture> {
  const warnings: JpegWarnings = []
  const image = collectWarnings(sharp(content, inputOptions(format)), warnings)
  const run = (wide ? toScreenColors(image) : image)
    .autoOrient()
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { data, info } = await orDamagedFile('watermark image', warnings, run, operation)
  return { data, width: info.width, height: info.height, channels: 4 }
}
