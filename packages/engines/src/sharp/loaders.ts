import type { SourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

/** The libvips loaders for each detected format. All other loaders are blocked, such as SVG. */
const LOADERS: Partial<Record<SourceFormat, string[]>> = {
  JPEG: ['VipsForeignLoadJpeg'],
  PNG: ['VipsForeignLoadPng'],
  GIF: ['VipsForeignLoadNsgif'],
  WEBP: ['VipsForeignLoadWebp'],
  TIFF: ['VipsForeignLoadTiff'],
  // libvips reads only the header and profile of a HEIC. Its pixels are passed as a TIFF.
  HEIC: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
  // A bitmap may contain a JPEG or a PNG.
  BMP: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'],
  // An AVIF with color codes but without a profile is passed as a TIFF with a profile.
  AVIF: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
}

/** Allows libvips to read only these formats, until the next call of this function. */
export function allowFormats(formats: readonly SourceFormat[]): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  const operation = formats.flatMap((format) => LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}

/** Also allows libvips to read TIFF. An image with a profile is passed to the next pipeline as a TIFF. */
export function allowProfiledPixels(): void {
  sharp.unblock({ operation: ['VipsForeignLoadTiff'] })
}

/**
 * Also allows libvips to read a format, until the next call of `allowFormats`. Use it only for files that this process
 * encoded.
 */
export function allowDecoder(format: SourceFormat | undefined): void {
  const operation = format === undefined ? [] : (LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}
