import type { OutputFormat } from '../media.ts'
import type { ResultFile } from '../request.ts'
import type { Size } from '../size.ts'

/** The longest side of a thumbnail, in pixels. */
export const THUMBNAIL_SIDE = 256

/** The largest thumbnail, in bytes. Noise with alpha has no more. */
export const MAX_THUMBNAIL_BYTES = 256 * 1024

/** A result of no more bytes is shown as it is where it has no thumbnail. */
const MAX_SHOWN_BYTES = 512 * 1024

/** The task of drawing the first page of a PDF that was made. */
export const THUMBNAIL_TASK = 'documents/thumbnail'

/** Browsers decode each picture of a list to its pixels, however few bytes it has. */
const MOST_SHOWN_PIXELS = 2_200_000

// Browsers show these. A PNG keeps every pixel as it is, so far fewer of them fill as many bytes.
const SHOWN_PIXELS: Partial<Record<OutputFormat, number>> = {
  jpg: MOST_SHOWN_PIXELS,
  webp: MOST_SHOWN_PIXELS,
  png: 262_144,
  gif: 262_144,
}

/** A file of no more bytes is shown as it is up to the pixels of a JPEG, whatever its format: a page of text, a drawing. */
const SMALL_BYTES = 256 * 1024

/** Tells whether lists show the file of a picture itself, for its few bytes. */
export const isSmallFile = (format: OutputFormat, { width, height }: Size, bytes: number): boolean =>
  format in SHOWN_PIXELS && bytes <= SMALL_BYTES && width * height <= MOST_SHOWN_PIXELS

/** Tells whether a picture is shown as it is. To make a smaller one of it would cost a tenth of the job (decision 59). */
export const isOwnThumbnail = (format: OutputFormat, { width, height }: Size, frames = 1): boolean =>
  frames === 1 && width * height <= (SHOWN_PIXELS[format] ?? 0)

/** The size of a picture's thumbnail. A picture that fits is not made larger. */
export function thumbnailSize({ width, height }: Size): Size {
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Returns the file that stands for a result in lists; `undefined` when there is none. */
export function shownFor({
  key,
  format,
  size,
  thumbnail,
}: ResultFile): { key: string; format: OutputFormat } | undefined {
  if (thumbnail !== undefined) return { key: thumbnail, format: 'webp' }
  return format in SHOWN_PIXELS && size <= MAX_SHOWN_BYTES ? { key, format } : undefined
}

/** Returns the store's keys of these results: the files and their thumbnails. */
export const keysOf = (files: readonly ResultFile[]): string[] =>
  files.flatMap(({ key, thumbnail }) => (thumbnail === undefined ? [key] : [key, thumbnail]))
