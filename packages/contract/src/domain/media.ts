/** The kinds of file the service works on (Spec 1). */
export const MEDIA_TYPES = ['image', 'video', 'document'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** The files of a medium, as messages call them. */
export const MEDIA_WORDS: Record<MediaType, string> = { image: 'images', video: 'videos', document: 'PDFs' }

/** What the service knows of a format that pictures are written in; the encoder's settings are the engine's. */
type ImageOutput = {
  /** As `result.data.format` names it (rulings 14). */
  name: string
  contentType: string
  /** The longest side that it holds, in pixels. */
  maxSide: number
  /**
   * What it keeps of transparency: nothing, which lays all on white; what the picture has and operations add, but white
   * where a cutout removes (Spec 4.5); or everything.
   */
  alpha: 'none' | 'drawn' | 'all'
  /** Whether an animation stays one (rulings 15). */
  animated: boolean
  /** How often its pixels count towards the work of a request, where writing them is dear; else 0. */
  weight: number
}

const IMAGE_OUTPUT = {
  // libjpeg stops at 65,500, 35 pixels short of what the header holds.
  jpg: { name: 'JPEG', contentType: 'image/jpeg', maxSide: 65_500, alpha: 'none', animated: false, weight: 0 },
  png: { name: 'PNG', contentType: 'image/png', maxSide: 1_000_000, alpha: 'all', animated: false, weight: 0 },
  webp: { name: 'WEBP', contentType: 'image/webp', maxSide: 16_383, alpha: 'all', animated: true, weight: 0 },
  // libvips writes 100 megapixels of a photograph to gif in 21 s, of noise in 40 s; to any other format in a few. Counted
  // by what noise costs, a photograph of 100 megapixels could not be a gif, so it counts by less.
  gif: { name: 'GIF', contentType: 'image/gif', maxSide: 65_535, alpha: 'drawn', animated: true, weight: 3 },
  tif: { name: 'TIFF', contentType: 'image/tiff', maxSide: 1_000_000, alpha: 'drawn', animated: false, weight: 0 },
} as const satisfies Record<string, ImageOutput>

/** Every format that a medium can be written in, the default first (Spec 4.5). To add one: its line here. */
export const OUTPUT = {
  image: IMAGE_OUTPUT,
  video: { mp4: { name: 'MP4', contentType: 'video/mp4' } },
  document: { pdf: { name: 'PDF', contentType: 'application/pdf' } },
} as const satisfies Record<MediaType, Record<string, Pick<ImageOutput, 'name' | 'contentType'>>>

export type ImageOutputFormat = keyof typeof OUTPUT.image
export type OutputFormat = { [Media in MediaType]: keyof (typeof OUTPUT)[Media] }[MediaType]

/** Output formats a medium can be written in, the default first (Spec 4.5). */
export const OUTPUT_FORMATS = {
  image: namesIn(OUTPUT.image),
  video: namesIn(OUTPUT.video),
  document: namesIn(OUTPUT.document),
}

/** The content type of a result's file, by the format in its record. */
export const CONTENT_TYPES = Object.fromEntries(
  Object.values(OUTPUT).flatMap((formats) =>
    Object.entries(formats).map(([format, { contentType }]) => [format, contentType]),
  ),
) as Record<OutputFormat, string>

/** The formats that pictures are written in, as `result.data.format` names them. */
export const IMAGE_OUTPUT_NAMES = OUTPUT_FORMATS.image.map((format) => OUTPUT.image[format].name)

function namesIn<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly [Name, ...Name[]] {
  const [first, ...others] = Object.keys(table) as Name[]
  if (first === undefined) throw new RangeError('the table is empty')
  return [first, ...others]
}

/** Formats a source may have, as `result.data.format` names them (Spec 1, rulings 2). */
export const SOURCE_FORMATS = {
  image: ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'],
  video: ['MP4', 'MOV', 'WEBM', 'MKV', 'AVI', 'FLV', 'MPEG', 'MPEGTS'],
  document: ['PDF'],
} as const satisfies Record<MediaType, readonly string[]>

export type ImageSourceFormat = (typeof SOURCE_FORMATS.image)[number]
export type VideoSourceFormat = (typeof SOURCE_FORMATS.video)[number]
export type SourceFormat = (typeof SOURCE_FORMATS)[MediaType][number]

/** The content type of a source's file, by its format. */
export const SOURCE_CONTENT_TYPES: Readonly<Record<SourceFormat, string>> = {
  JPEG: 'image/jpeg',
  PNG: 'image/png',
  GIF: 'image/gif',
  WEBP: 'image/webp',
  TIFF: 'image/tiff',
  BMP: 'image/bmp',
  HEIC: 'image/heic',
  AVIF: 'image/avif',
  MP4: 'video/mp4',
  MOV: 'video/quicktime',
  WEBM: 'video/webm',
  MKV: 'video/x-matroska',
  AVI: 'video/x-msvideo',
  FLV: 'video/x-flv',
  MPEG: 'video/mpeg',
  MPEGTS: 'video/mp2t',
  PDF: 'application/pdf',
}

/** Formats a watermark image may have (Spec 4.5). */
export const WATERMARK_FORMATS = ['JPEG', 'PNG', 'GIF', 'WEBP'] as const satisfies readonly ImageSourceFormat[]

/** Returns the medium that a source format belongs to. */
export function mediaTypeOf(format: SourceFormat): MediaType {
  const found = MEDIA_TYPES.find((type) => (SOURCE_FORMATS[type] as readonly string[]).includes(format))
  if (found === undefined) throw new RangeError(`no such source format: ${format}`)
  return found
}

/**
 * EXIF's orientations by their value, 0 standing for none. Each says where the first row and the first column are shown
 * (rulings 2).
 */
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
