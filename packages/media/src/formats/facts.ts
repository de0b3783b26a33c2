import { open } from 'node:fs/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat, Orientation } from '@mediamill/contract/domain/media'
import { ORIENTATIONS } from '@mediamill/contract/domain/media'
import type { Spans } from '@mediamill/contract/lib/spans'
import type { ByteReader, Part } from './byte-reader.ts'
import { bufferReader, fileReader } from './byte-reader.ts'
import type { Colorspace, HeaderFacts } from './header-facts.ts'
import { IMAGE_FORMATS } from './image-formats.ts'

/** `result.data` of `images/read` (Spec 2.4, rulings 2): width and height as stored. */
export type ImageFacts = {
  frames: number
  orientation: Orientation
  format: ImageSourceFormat
  colorspace: Colorspace
  width: number
  height: number
  size: number
}

/**
 * The source of a picture whose facts are read. `size` is the whole source's; of it the file at `path` holds the
 * `present` parts, each in its place.
 */
export type FactsInput = { path: string; format: ImageSourceFormat; size: number; present: Spans }

/**
 * Reads a picture's facts from its headers, without decoding a pixel.
 *
 * Answers `{ needs }`, the part of the source that is to be there too, when the parts at hand do not reach: all the rest
 * where frames have to be counted to its end. A truncated file gives what its header says; `processing_failed` is
 * thrown where not even that can be read.
 */
export async function readFacts(input: FactsInput): Promise<ImageFacts | { needs: Part }> {
  await using file = await open(input.path)
  const source = fileReader(file.fd, input.size, input.present)
  const header = headerFacts(source, input.format)
  if (source.missing !== undefined) return { needs: inOneGo(source.missing, input) }
  return asFacts(header, input.format, input.size)
}

// An ordinary TIFF directory as a whole, in one download and not one for its count and one for the rest.
const LEAST_BYTES = 4096

/** What goes on where the beginning ends brings three times the beginning: a long chain of markers is few downloads. */
function inOneGo({ offset, length }: Part, { size, present }: FactsInput): Part {
  const isNext = offset === (present.endFrom(0) ?? 0)
  return { offset, length: Math.min(size - offset, Math.max(length, isNext ? 3 * offset : LEAST_BYTES)) }
}

/** Reads the facts of a picture that is whole in memory. */
export function factsOf(bytes: Buffer, format: ImageSourceFormat): ImageFacts {
  return asFacts(headerFacts(bufferReader(bytes), format), format, bytes.length)
}

function headerFacts(source: ByteReader, format: ImageSourceFormat): HeaderFacts | undefined {
  try {
    return IMAGE_FORMATS[format].facts(source)
  } catch (error) {
    // A read past a short buffer: the header is cut off, or an offset in it lies.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function asFacts(header: HeaderFacts | undefined, format: ImageSourceFormat, size: number): ImageFacts {
  if (header === undefined || header.width < 1 || header.height < 1) {
    throw new RequestFailure('processing_failed', `The ${format} picture is damaged: its header cannot be read.`)
  }
  const { frames, colorspace, width, height } = header
  const orientation = ORIENTATIONS[header.orientation] ?? 'Undefined'
  return { frames, orientation, format, colorspace, width, height, size }
}
