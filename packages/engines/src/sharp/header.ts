import { closeSync, openSync, readFileSync } from 'node:fs'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { ImageFrame } from '@mediamill/contract/domain/size'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import { bufferReader, fileReader, firstBytes } from '@mediamill/media/formats/byte-reader'
import type { Metadata, SharpOptions } from 'sharp'
import sharp from 'sharp'
import type { EngineFile } from '../protocol/messages.ts'
import { damaged } from './picture.ts'

/** The part of a file that sharp is given: its bytes, or its path. */
export type Content = Buffer | string

const SMALL_BYTES = 1024 * 1024

/**
 * Reads a small file whole, and leaves a large one to its path. libvips would open a small one for its header and again
 * for its pixels.
 */
export function contentOf({ path, size }: Pick<EngineFile, 'path' | 'size'>): Content {
  return size <= SMALL_BYTES ? readFileSync(path) : path
}

/** Looks into a file's bytes. */
export function lookInto<T>(content: Content, size: number, look: (source: ByteReader) => T): T {
  if (typeof content !== 'string') return look(bufferReader(content))
  const fd = openSync(content, 'r')
  try {
    return look(fileReader(fd, size, firstBytes(size)))
  } finally {
    closeSync(fd)
  }
}

/** The header of a file that libvips reads itself. */
export async function readHeader(
  content: Content,
  format: ImageSourceFormat,
  what: 'source picture' | 'watermark image',
  operation?: number,
): Promise<Metadata> {
  const animated = format === 'GIF' || format === 'WEBP'
  const header = sharp(content, { ...inputOptions(format), animated }).metadata()
  return orDamagedHeader(header, what, operation)
}

/** Awaits a header; what goes wrong is the file's fault. */
export async function orDamagedHeader<T>(header: Promise<T>, what: Parameters<typeof damaged>[0], operation?: number) {
  try {
    return await header
  } catch (error) {
    // libjpeg's own limit lies a little below what the header of a JPEG can say.
    if (String(error).includes('Maximum supported image dimension')) throw tooLong(what, operation)
    throw damaged(what, error, operation)
  }
}

const tooLong = (what: Parameters<typeof damaged>[0], operation?: number) =>
  new RequestFailure(
    'processing_failed',
    `The ${what} is a JPEG of more than 65,500 pixels a side, the most that is processed. Make it smaller or send it in another format.`,
    operation === undefined ? {} : { operation },
  )

/** How sharp opens a file of a format. */
export function inputOptions(format: ImageSourceFormat): SharpOptions {
  return {
    // A truncated or damaged picture is refused. libtiff warns of tags that it merely does not know, and what libjpeg
    // warns of is judged by `jpeg-warnings.ts`; a bitmap may wrap a JPEG.
    failOn: format === 'TIFF' || format === 'JPEG' || format === 'BMP' ? 'error' : 'warning',
    // The plan has judged the header by the service's own limits.
    limitInputPixels: false,
  }
}

/** The EXIF orientation; what is no orientation is upright. */
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
