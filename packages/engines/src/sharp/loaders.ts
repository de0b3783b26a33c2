import type { SourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

/** libvips' loaders by detected format. All other loaders stay blocked, including SVG. */
const LOADERS: Partial<Record<SourceFormat, string[]>> = {
  JPEG: ['VipsForeignLoadJpeg'],
  PNG: ['VipsForeignLoadPng'],
  GIF: ['VipsForeignLoadNsgif'],
  WEBP: ['VipsForeignLoadWebp'],
  TIFF: ['VipsForeignLoadTiff'],
  // HEIC: libvips reads only its header and color profile, and receives the decoded pixels in a TIFF container.
  HEIC: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
  // A bitmap may wrap one of these.
  BMP: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'],
  // Pixels with only color codes get a profile, in a TIFF container.
  AVIF: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
}

/** Allows libvips to read only these formats, until the next call. */
export function allowFormats(formats: readonly SourceFormat[]): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  const operation = formats.flatMap((format) => LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}

/** Also allows uncompressed TIFF, in which an image with a profile passes to the next pipeline. */
export function allowProfiledPixels(): void {
  sharp.unblock({ operation: ['VipsForeignLoadTiff'] })
}

/** Also allows libvips to read `format`, until the next call of `allowFormats`. Only for files that this process encoded. */
export function allowDecoder(format: SourceFormat | undefined): void {
  const operation = format === undefined ? [] : (LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}
