import type { Metadata, SharpOptions } from 'sharp'
import sharp from 'sharp'
import { RequestFailure } from '../../domain/errors.ts'
import type { ImageSourceFormat, SourceFormat } from '../../domain/media.ts'
import { SOURCE_FORMATS } from '../../domain/media.ts'
import type { ImageFrame } from '../../operations/image-steps.ts'
import type { ImageSource } from '../../plan/image.ts'
import type { EngineFile } from '../messages.ts'
import type { Picture } from './picture.ts'
import { damaged } from './picture.ts'

/** How an animation plays: milliseconds for each frame, and how often it repeats (0 for ever). */
export type Timing = { delays: number[]; loop: number }

/** A source whose header is read and whose pixels are not. */
export type OpenedSource = {
  source: ImageSource
  timing: Timing
  /** The picture to decode: all frames of an animation, or the first alone. */
  picture: (animated: boolean) => Promise<Picture>
}

/** Reads a picture's header. Throws `RequestFailure` when there is none to read. */
export async function openSource(file: EngineFile): Promise<OpenedSource> {
  const format = imageFormat(file.format)
  const animates = format === 'GIF' || format === 'WEBP'
  const header = await readHeader(file, 'source picture')
  const size = { width: header.width, height: header.pageHeight ?? header.height }
  // Only what the container calls an animation or pages is one; an AVIF's images are its alternatives.
  const frames = animates || format === 'TIFF' ? (header.pages ?? 1) : 1
  return {
    source: { format, ...size, frames, orientation: orientationOf(header) },
    timing: { delays: header.delay ?? [], loop: header.loop ?? 0 },
    picture: (animated) =>
      Promise.resolve({
        kind: 'encoded',
        format,
        ...size,
        frames: animated ? frames : 1,
        profiled: header.icc !== undefined,
        open: () => sharp(file.path, { ...inputOptions(format), animated }),
      }),
  }
}

/** The header of a file that libvips reads itself. */
export async function readHeader(
  file: EngineFile,
  what: 'source picture' | 'watermark image',
  operation?: number,
): Promise<Metadata> {
  const animated = file.format === 'GIF' || file.format === 'WEBP'
  try {
    return await sharp(file.path, { ...inputOptions(imageFormat(file.format)), animated }).metadata()
  } catch (error) {
    throw damaged(what, error, operation)
  }
}

/** How sharp opens a file of a format. */
export function inputOptions(format: ImageSourceFormat): SharpOptions {
  return {
    // A truncated or damaged picture is refused. libtiff warns of tags that it merely does not know.
    failOn: format === 'TIFF' ? 'error' : 'warning',
    // The plan has judged the header by the service's own limits.
    limitInputPixels: false,
  }
}

/** The EXIF orientation; what is no orientation is upright. */
export function orientationOf(header: Metadata): ImageFrame['orientation'] {
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

function imageFormat(format: SourceFormat): ImageSourceFormat {
  const found = SOURCE_FORMATS.image.find((known) => known === format)
  if (found === undefined) throw new RequestFailure('unsupported_media', 'The source is not a picture.')
  return found
}
