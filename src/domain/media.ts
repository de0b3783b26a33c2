/** The kinds of file the service works on (Spec 1). */
export const MEDIA_TYPES = ['image', 'video', 'document'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** The files of a medium, as messages call them. */
export const MEDIA_WORDS: Record<MediaType, string> = { image: 'images', video: 'videos', document: 'PDFs' }

/** Output formats a medium can be written in, the default first (Spec 4.5). */
export const OUTPUT_FORMATS = {
  image: ['jpg', 'png', 'webp', 'gif', 'tif'],
  video: ['mp4'],
  document: ['pdf'],
} as const satisfies Record<MediaType, readonly [string, ...string[]]>

export type ImageOutputFormat = (typeof OUTPUT_FORMATS.image)[number]
export type OutputFormat = (typeof OUTPUT_FORMATS)[MediaType][number]

/** Formats a source may have, as `result.data.format` names them (Spec 1, rulings 2). */
export const SOURCE_FORMATS = {
  image: ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'],
  video: ['MP4', 'MOV', 'WEBM', 'MKV', 'AVI', 'FLV', 'MPEG', 'MPEGTS'],
  document: ['PDF'],
} as const satisfies Record<MediaType, readonly string[]>

export type ImageSourceFormat = (typeof SOURCE_FORMATS.image)[number]
export type VideoSourceFormat = (typeof SOURCE_FORMATS.video)[number]
export type SourceFormat = (typeof SOURCE_FORMATS)[MediaType][number]

/** Formats a watermark image may have (Spec 4.5). */
export const WATERMARK_FORMATS = ['JPEG', 'PNG', 'GIF', 'WEBP'] as const satisfies readonly ImageSourceFormat[]

/** What a result's file is, by the format in its record. */
export const CONTENT_TYPES: Record<OutputFormat, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  tif: 'image/tiff',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
}

/** Which medium a source format belongs to. */
export function mediaTypeOf(format: SourceFormat): MediaType {
  const found = MEDIA_TYPES.find((type) => (SOURCE_FORMATS[type] as readonly string[]).includes(format))
  if (found === undefined) throw new RangeError(`no such source format: ${format}`)
  return found
}

/** EXIF's orientations by their value, 0 standing for none: where the first row and the first column are shown (rulings 2). */
export const ORIENTATIONS = [
  'Undefined',
  'TopLeft',
  'TopRight',
  'BottomRight',
  'BottomLeft',
  'LeftTop',
  'RightTop',
  'RightBottom',
  'LeftBottom',
] as const

export type Orientation = (typeof ORIENTATIONS)[number]
