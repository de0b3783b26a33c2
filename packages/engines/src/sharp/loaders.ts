import type { SourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

/** libvips' loaders for each detected format. All other loaders stay blocked, including SVG. */
const LOADERS: Partial<Record<SourceFormat, string[]>> = {
  JPEG: ['VipsForeignLoadJpeg'],
  PNG: ['VipsForeignLoadPng'],
  GIF: ['VipsForeignLoadNsgif'],
  WEBP: ['VipsForeignLoadWebp'],
  TIFF: ['VipsForeignLoadTiff'],
  // libvips reads only the header and profile of a HEIC. It receives the decoded pixels as a TIFF.
  HEIC: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
  // A bitmap may contain a JPEG or a PNG.
  BMP: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'],
  // An AVIF that has color codes but no profile gets a profile, in a TIFF.
  AVIF: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
}

/** Allows libvips to read only these formats, until the next call of this function. */
export function allowFormats(formats: readonly SourceFormat[]): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  const operation = formats.flatMap((format) => LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}

/** Also allows TIFF, because an image with a profile passes to the next pipeline as a TIFF. */
export function allowProfiledPixels(): void {
  sharp.unblock({ operation: ['VipsForeignLoadTiff'] })
}

/** Also allows `format` until the next `allowFormats`. Only for files that this process encoded. */
export function allowDecoder(format: SourceFormat | undefined): void {
  const operation = format === undefined ? [] : (LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}
