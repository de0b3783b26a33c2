export const MEDIA_TYPES = ['image', 'video', 'document'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

export const MEDIA_WORDS: Record<MediaType, string> = { image: 'images', video: 'videos', document: 'PDFs' }

type ImageOutput = {
  /** The value of `result.data.format` (images.process.1). */
  name: string
  contentType: string
  maxSide: number
  /** How transparency is kept. `none`: it becomes white. `all`: it stays. `drawn`: only removed background is white. */
  alpha: 'none' | 'drawn' | 'all'
  animated: boolean
  /** The work of the first encoding, per pixel (limits.media.3). 0 unless the format is expensive to encode. */
  weight: number
  isLossy: boolean
  /** The work of each further encoding that searches for a quality or size, per pixel. */
  searchWeight: number
}

const IMAGE_OUTPUT = {
  // libjpeg supports at most 65,500 pixels per side, although the file header allows 65,535.
  jpg: {
    name: 'JPEG',
    contentType: 'image/jpeg',
    maxSide: 65_500,
    alpha: 'none',
    animated: false,
    weight: 0,
    isLossy: true,
    searchWeight: 2,
  },
  png: {
    name: 'PNG',
    contentType: 'image/png',
    maxSide: 1_000_000,
    alpha: 'all',
    animated: false,
    weight: 0,
    isLossy: false,
    searchWeight: 4,
  },
  webp: {
    name: 'WEBP',
    contentType: 'image/webp',
    maxSide: 16_383,
    alpha: 'all',
    animated: true,
    weight: 0,
    isLossy: true,
    searchWeight: 12,
  },
  // Noise takes twice as long as this weight assumes, but with a higher weight, a photo of 100 megapixels would fail.
  gif: {
    name: 'GIF',
    contentType: 'image/gif',
    maxSide: 65_535,
    alpha: 'drawn',
    animated: true,
    weight: 3,
    isLossy: false,
    searchWeight: 120,
  },
  tif: {
    name: 'TIFF',
    contentType: 'image/tiff',
    maxSide: 1_000_000,
    alpha: 'drawn',
    animated: false,
    weight: 0,
    isLossy: false,
    searchWeight: 3,
  },
  // The weight allows 33 megapixels per request.
  avif: {
    name: 'AVIF',
    contentType: 'image/avif',
    maxSide: 4_096,
    alpha: 'all',
    animated: false,
    weight: 60,
    isLossy: true,
    searchWeight: 60,
  },
} as const satisfies Record<string, ImageOutput>

/** The formats of `output.format`. The specification fixes this list, so `avif` is only in `outputs`. */
const { avif: _, ...SPECIFIED } = IMAGE_OUTPUT

/** The output formats of each medium. The first format is the default. */
export const OUTPUT = {
  image: IMAGE_OUTPUT,
  video: { mp4: { name: 'MP4', contentType: 'video/mp4' } },
  document: { pdf: { name: 'PDF', contentType: 'application/pdf' } },
} as const satisfies Record<MediaType, Record<string, Pick<ImageOutput, 'name' | 'contentType'>>>

export type ImageOutputFormat = keyof typeof OUTPUT.image
export type OutputFormat = { [Media in MediaType]: keyof (typeof OUTPUT)[Media] }[MediaType]

export const OUTPUT_FORMATS = {
  image: namesIn(SPECIFIED),
  video: namesIn(OUTPUT.video),
  document: namesIn(OUTPUT.document),
}

export const FORMATS_OF_OUTPUTS = namesIn(OUTPUT.image)

export const STILL_FORMATS = ['jpg', 'png'] as const
export const STILL_FORMATS_OF_OUTPUTS = [...STILL_FORMATS, 'avif'] as const

/** The metadata of the source that an output keeps, as values of `metadata`. The first value is the default. */
export const METADATA_OF_OUTPUTS = ['none', 'copyright', 'all_but_location'] as const

export const OUTPUT_NAME = /^[a-z0-9_-]{1,64}$/

export const CONTENT_TYPES = Object.fromEntries(
  Object.values(OUTPUT).flatMap((formats) =>
    Object.entries(formats).map(([format, { contentType }]) => [format, contentType]),
  ),
) as Record<OutputFormat, string>

export const IMAGE_OUTPUT_NAMES = FORMATS_OF_OUTPUTS.map((format) => OUTPUT.image[format].name)

function namesIn<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly [Name, ...Name[]] {
  const [first, ...others] = Object.keys(table) as Name[]
  if (first === undefined) throw new RangeError('the table of formats is empty')
  return [first, ...others]
}

export const SOURCE_FORMATS = {
  image: ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'],
  video: ['MP4', 'MOV', 'WEBM', 'MKV', 'AVI', 'FLV', 'MPEG', 'MPEGTS'],
  document: ['PDF'],
} as const satisfies Record<MediaType, readonly string[]>

export type ImageSourceFormat = (typeof SOURCE_FORMATS.image)[number]
export type VideoSourceFormat = (typeof SOURCE_FORMATS.video)[number]
export type SourceFormat = (typeof SOURCE_FORMATS)[MediaType][number]

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

export const WATERMARK_FORMATS = ['JPEG', 'PNG', 'GIF', 'WEBP'] as const satisfies readonly ImageSourceFormat[]

export function mediaTypeOf(format: SourceFormat): MediaType {
  const found = MEDIA_TYPES.find((type) => (SOURCE_FORMATS[type] as readonly string[]).includes(format))
  if (found === undefined) throw new RangeError(`no such source format: ${format}`)
  return found
}

/** The EXIF orientations by value, named after the displayed sides of the first row and the first column. */
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
