import type { SourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

/** libvips' loaders by the format that was sniffed; all others stay blocked, SVG and its like for good. */
const LOADERS: Partial<Record<SourceFormat, string[]>> = {
  JPEG: ['VipsForeignLoadJpeg'],
  PNG: ['VipsForeignLoadPng'],
  GIF: ['VipsForeignLoadNsgif'],
  WEBP: ['VipsForeignLoadWebp'],
  TIFF: ['VipsForeignLoadTiff'],
  // HEIC: libvips reads its header and colour profile only, and takes the decoded pixels in a TIFF container.
  HEIC: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
  // A bitmap may wrap one of these.
  BMP: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'],
  // Pixels whose colours are only named by codes get a profile, in a TIFF container.
  AVIF: ['VipsForeignLoadHeif', 'VipsForeignLoadTiff'],
}

/** Lets libvips read these formats and no others, until the next call. */
export function allowFormats(formats: readonly SourceFormat[]): void {
  // wall: libvips’ other loaders
  sharp.block({ operation: ['VipsForeignLoad'] })
  const operation = formats.flatMap((format) => LOADERS[format] ?? [])
  if (operation.length > 0) sharp.unblock({ operation })
}

/** Also lets libvips read uncompressed TIFF. A profiled picture goes from one pipeline to the next as such. */
export function allowProfiledPixels(): void {
  sharp.unblock({ operation: ['VipsForeignLoadTiff'] })
}
