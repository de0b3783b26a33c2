import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { bmp } from './bmp.ts'
import { gif } from './gif.ts'
import { heif } from './heif.ts'
import type { ImageFormat } from './image-format.ts'
import { jpeg } from './jpeg.ts'
import { png } from './png.ts'
import { tiff } from './tiff.ts'
import { webp } from './webp.ts'

export const IMAGE_FORMATS: Readonly<Record<ImageSourceFormat, ImageFormat>> = {
  JPEG: jpeg,
  PNG: png,
  GIF: gif,
  WEBP: webp,
  TIFF: tiff,
  BMP: bmp,
  HEIC: heif('HEIC'),
  AVIF: heif('AVIF'),
}
