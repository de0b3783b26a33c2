import { closeSync, openSync, readFileSync } from 'node:fs'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { ImageFrame } from '@mediamill/contract/domain/size'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import { bufferReader, fileReader, firstBytes } from '@mediamill/media/formats/byte-reader'
import type { Metadata, SharpOptions } from 'sharp'
import sharp from 'sharp'
import type { EngineFile } from '../protocol/messages.ts'
import { damaged } from './image.ts'

export type Content = Buffer | string

const SMALL_BYTES = 1024 * 1024

/** Returns the bytes of a small file, because libvips would open it twice, and the path of a large file. */
export function contentOf({ path, size }: Pick<EngineFile, 'path' | 'size'>): Content {
  return size <= SMALL_BYTES ? readFileSync(path) : path
}

export function withByteReader<T>(content: Content, size: number, use: (source: ByteReader) => T): T {
  if (typeof content !== 'string') return use(bufferReader(content))
  const fd = openSync(content, 'r')
  try {
    return use(fileReader(fd, size, firstBytes(size)))
  } finally {
    closeSync(fd)
  }
}

export async function readHeader(
  content: Content,
  format: ImageSourceFormat,
  subject: 'source image' | 'watermark image',
  operation?: number,
): Promise<Metadata> {
  const animated = format === 'GIF' || format === 'WEBP'
  const header = sharp(content, { ...inputOptions(format), animated }).metadata()
  return wrapHeaderError(header, subject, operation)
}

export async function wrapHeaderError<T>(
  header: Promise<T>,
  subject: Parameters<typeof damaged>[0],
  operation?: number,
) {
  try {
    return await header
  } catch (error) {
    // libjpeg supports slightly smaller images than a JPEG header can declare.
    if (String(error).includes('Maximum supported image dimension')) throw tooLong(subject, operation)
    throw damaged(subject, error, operation)
  }
}

const tooLong = (subject: Parameters<typeof damaged>[0], operation?: number) =>
  new RequestFailure(
    'processing_failed',
    `The ${subject} exceeds the limit of 65,500 pixels per side of a JPEG. Make it smaller or send it in another format.`,
    { operation },
  )

export function inputOptions(format: ImageSourceFormat): SharpOptions {
  return {
    // In these formats, warnings do not fail a job: libtiff warns about unknown tags, and `jpeg-warnings.ts` checks the
    // warnings of libjpeg. A bitmap may contain a JPEG.
    failOn: format === 'TIFF' || format === 'JPEG' || format === 'BMP' ? 'error' : 'warning',
    // The plan checks the size against the limits of the service.
    limitInputPixels: false,
  }
}

export function orientationOf(header: Pick<Metadata, 'orientation'>): ImageFrame['orientation'] {
  const { orientation = 1 } = header
  switch (orientation) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return orientation
    default:
      return 1
  }
}
