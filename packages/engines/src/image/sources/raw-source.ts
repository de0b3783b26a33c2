import { readFile } from 'node:fs/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import { metadataOf } from '@mediamill/media/formats/image-metadata'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import { inputOptions } from '../../sharp/header.ts'
import type { Image } from '../../sharp/image.ts'
import { damaged } from '../../sharp/image.ts'
import type { OpenedSource } from './opened-source.ts'
import { STILL } from './opened-source.ts'

/** Opens a source of a format that libvips cannot decode. */
export async function openRaw(
  file: EngineFile,
  format: 'BMP' | 'HEIC',
  decode: (bytes: Buffer) => Image | Promise<Image>,
): Promise<OpenedSource> {
  const bytes = await readFile(file.path)
  const metadata = metadataOf(bytes, format)
  return {
    // HEIC metadata contains the size after rotation, and a bitmap has no orientation.
    source: { format, width: metadata.width, height: metadata.height, frames: 1, orientation: 1 },
    timing: STILL,
    image: async () => {
      const image = await decode(bytes)
      const { width, height } = image.kind === 'raw' ? image.strip : image
      if (width === metadata.width && height === metadata.height) return image
      throw damaged(
        'source image',
        new Error(`the header declares ${metadata.width} × ${metadata.height}, not ${width} × ${height}`),
      )
    },
    // `decode` reads the whole file, so it detects a truncated file.
    rejectCutOff: () => {},
  }
}

export const rawImage = (image: RawImage): Image => ({ kind: 'raw', strip: { ...image, frames: 1 } })

export function profiledImage(
  format: 'AVIF' | 'HEIC',
  { width, height }: Size,
  { profile, tiff }: { profile: Buffer; tiff: Buffer },
): Image {
  const still = { kind: 'encoded', format, frames: 1, profile, gray: false, wide: false } as const
  return { ...still, warnings: [], width, height, open: () => sharp(tiff, inputOptions(format)) }
}

export function rejectOverLimit(width: number, height: number, maxPixels: number): void {
  if (width * height <= maxPixels) return
  throw new RequestFailure(
    'processing_failed',
    `The image has ${width} × ${height} pixels; the limit is ${maxPixels / 1_000_000} megapixels.`,
  )
}
