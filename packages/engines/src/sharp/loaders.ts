import type { SourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

/** The libvips loaders of each format. All other loaders are blocked, such as SVG. */
const LOADERS: Partial<Record<SourceFormat, string[]>> = {
  JPEG: ['VipsForeignLoadJpeg'],
  PNG: ['VipsForeignLoadPng'],
  GIF: ['VipsForeignLoadNsgif'],
  WEBP: ['VipsForeignLoadWebp'],
  TIFF: ['VipsForeignLoadTiff'],
  // libvips reads only the header and profile of a HEIC. The pixels are passed as a TIFF.
  HEIC: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
  // A bitmap may contain a JPEG or a PNG.
  BMP: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'],
  // An AVIF with color codes but without a profile is passed as a TIFF with a profile.
  AVIF: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
}

/** Allows only these formats. Replaces the formats that earlier calls allowed. */
export function allowFormats(formats: readonly SourceFormat[]): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  const operation = formats.flatMap((format) => LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}

/** Allows TIFF. Pixels with a color profile are passed to the next pipeline as a TIFF. */
export function allowProfiledPixels(): void {
  sharp.unblock({ operation: ['VipsForeignLoadTiff'] })
}

/** Allows one more format, only for files that this process encoded. */
export function allowDecoder(format: SourceFormat | undefined): void {
  const operation = format === undefined ? [] : (LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}
