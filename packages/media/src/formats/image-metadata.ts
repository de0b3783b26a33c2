import { open } from 'node:fs/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat, Orientation } from '@mediamill/contract/domain/media'
import { ORIENTATIONS } from '@mediamill/contract/domain/media'
import type { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import { tryRead } from '@mediamill/contract/lib/try-read'
import type { ByteReader, Part } from './byte-reader.ts'
import { bufferReader, fileReader } from './byte-reader.ts'
import type { Colorspace, HeaderMetadata } from './image-format.ts'
import { IMAGE_FORMATS } from './image-formats.ts'

/** The result of `images/read` (images.read.1). Width and height are before the EXIF rotation. */
export type ImageMetadata = {
  frames: number
  orientation: Orientation
  format: ImageSourceFormat
  colorspace: Colorspace
  width: number
  height: number
  size: number
}

type MetadataInput = { path: string; format: ImageSourceFormat; size: number; present: ByteRanges }

/** Returns the range to download in `needs` if bytes are missing. Throws `processing_failed` for a damaged image. */
export async function readMetadata(input: MetadataInput): Promise<ImageMetadata | { needs: Part }> {
  await using file = await open(input.path)
  const source = fileReader(file.fd, input.size, input.present)
  const header = headerMetadata(source, input.format)
  if (source.missing !== undefined) return { needs: enlargedRange(source.missing, input) }
  return toMetadata(header, input.format, input.size)
}

const MIN_BYTES = 4096

/** Enlarges a missing range to save downloads: directly after the first bytes, to at least three times their length. */
function enlargedRange({ offset, length }: Part, { size, present }: MetadataInput): Part {
  const isNext = offset === (present.endFrom(0) ?? 0)
  return { offset, length: Math.min(size - offset, Math.max(length, isNext ? 3 * offset : MIN_BYTES)) }
}

export function metadataOf(bytes: Buffer, format: ImageSourceFormat): ImageMetadata {
  return toMetadata(headerMetadata(bufferReader(bytes), format), format, bytes.length)
}

const headerMetadata = (source: ByteReader, format: ImageSourceFormat): HeaderMetadata | undefined =>
  tryRead(() => IMAGE_FORMATS[format].readHeader(source))

function toMetadata(header: HeaderMetadata | undefined, format: ImageSourceFormat, size: number): ImageMetadata {
  if (header === undefined || header.width < 1 || header.height < 1) {
    throw new RequestFailure('processing_failed', `The ${format} image is damaged: its header cannot be read.`)
  }
  const { frames, colorspace, width, height } = header
  const orientation = ORIENTATIONS[header.orientation] ?? 'Undefined'
  return { frames, orientation, format, colorspace, width, height, size }
}
