import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { isWholeJpeg } from '@mediamill/media/formats/jpeg'
import { isWholePng } from '@mediamill/media/formats/png'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import type { EngineFile } from '../protocol/messages.ts'
import { openAvif } from './sources/avif.ts'
import { openBmp } from './sources/bmp.ts'
import { openGif } from './sources/gif.ts'
import { openHeic } from './sources/heic.ts'
import { openWithLibvips } from './sources/libvips.ts'
import type { OpenedSource } from './sources/opened-source.ts'
import { openTiff } from './sources/tiff/open-tiff.ts'

type Open = (file: EngineFile, limits: PixelLimits) => Promise<OpenedSource>

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

export async function openSource(file: EngineFile, limits: PixelLimits): Promise<OpenedSource> {
  const format = SOURCE_FORMATS.image.find((known) => known === file.format)
  if (format === undefined) throw new RequestFailure('unsupported_media', 'The source is not a supported image format.')
  return OPENERS[format](file, limits)
}
