import { RequestFailure } from '../../domain/errors.ts'
import type { ImageSourceFormat } from '../../domain/media.ts'
import { SOURCE_FORMATS } from '../../domain/media.ts'
import { isWholeJpeg } from '../../media/formats/jpeg.ts'
import { isWholePng } from '../../media/formats/png.ts'
import type { PixelLimits } from '../../media/plan/image-budget.ts'
import type { EngineFile } from '../protocol/messages.ts'
import { openAvif } from './sources/avif.ts'
import { openBmp } from './sources/bmp.ts'
import { openGif } from './sources/gif.ts'
import { openHeic } from './sources/heic.ts'
import { openWithLibvips } from './sources/libvips.ts'
import type { OpenedSource } from './sources/opened-source.ts'
import { openTiff } from './sources/tiff/open-tiff.ts'

type Open = (file: EngineFile, limits: PixelLimits) => Promise<OpenedSource>

/** How a picture of each format is opened. */
const OPENERS: Readonly<Record<ImageSourceFormat, Open>> = {
  JPEG: (file) => openWithLibvips(file, 'JPEG', { isWhole: isWholeJpeg }),
  PNG: (file) => openWithLibvips(file, 'PNG', { isWhole: isWholePng }),
  GIF: openGif,
  WEBP: (file) => openWithLibvips(file, 'WEBP', { hasFrames: true }),
  TIFF: openTiff,
  BMP: openBmp,
  HEIC: openHeic,
  AVIF: openAvif,
}

/** Reads a picture's header. Throws `RequestFailure` when there is none to read. */
export async function openSource(file: EngineFile, limits: PixelLimits): Promise<OpenedSource> {
  const format = SOURCE_FORMATS.image.find((known) => known === file.format)
  if (format === undefined) throw new RequestFailure('unsupported_media', 'The source is not a picture.')
  return OPENERS[format](file, limits)
}
