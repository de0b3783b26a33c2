import type { MediaType } from '@mediamill/contract/domain/media'

type Row = {
  media: readonly MediaType[]
  required: Record<string, unknown>
}

const ALL = ['image', 'video', 'document'] as const
const MOVING = ['image', 'video'] as const
const STILL = ['image'] as const

/** Every operation, in the order of the reference. Written by hand, so that tests do not depend on the code. */
const OPERATIONS: Record<string, Row> = {
  watermark: { media: ALL, required: { image_url: 'https://example.com/m.png', x: 0, y: 0 } },
  border: { media: MOVING, required: { top: 1, bottom: 1, left: 1, right: 1, color: '#fff' } },
  resize: { media: MOVING, required: { width: 1, height: 1 } },
  crop: { media: MOVING, required: { x: 0, y: 0, width: 1, height: 1 } },
  thumbnail: { media: STILL, required: { width: 1 } },
  rotate: { media: MOVING, required: { degrees: 0 } },
  flip: { media: MOVING, required: {} },
  orient: { media: STILL, required: {} },
  grayscale: { media: MOVING, required: {} },
  sepia: { media: STILL, required: { threshold: 0 } },
  exposure: { media: STILL, required: {} },
  filter: { media: STILL, required: { name: 'lomo' } },
  remove_background: { media: STILL, required: { tolerance: 0 } },
  compress: { media: STILL, required: { quality: 1 } },
}

export const REQUIRED: Record<string, Record<string, unknown>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, { required }]) => [name, required]),
)

export const mediaOf = (operation: string): readonly MediaType[] => OPERATIONS[operation]?.media ?? []

export const operationsOn = (media: MediaType): string[] =>
  Object.keys(OPERATIONS).filter((name) => mediaOf(name).includes(media))

/** The output formats, written by hand like the operations. */
export const FORMATS: Record<MediaType, string[]> = {
  image: ['jpg', 'png', 'webp', 'gif', 'tif'],
  video: ['mp4'],
  document: ['pdf'],
}

/** The bounds of integer parameters, written by hand. */
export const INTEGERS: [operation: string, parameter: string, smallest: number, largest: number][] = [
  ['watermark', 'x', -20_000, 20_000],
  ['watermark', 'y', -20_000, 20_000],
  ['watermark', 'diagonal_lines_opacity', 0, 100],
  ['border', 'top', 0, 2_000],
  ['border', 'bottom', 0, 2_000],
  ['border', 'left', 0, 2_000],
  ['border', 'right', 0, 2_000],
  ['resize', 'width', 1, 20_000],
  ['resize', 'height', 1, 20_000],
  ['crop', 'x', 0, 20_000],
  ['crop', 'y', 0, 20_000],
  ['crop', 'width', 1, 20_000],
  ['crop', 'height', 1, 20_000],
  ['thumbnail', 'width', 1, 4_000],
  ['thumbnail', 'height', 1, 4_000],
  ['thumbnail', 'quality', 1, 100],
  ['rotate', 'degrees', -360, 360],
  ['sepia', 'threshold', 0, 100],
  ['exposure', 'brightness', -100, 100],
  ['exposure', 'contrast', -100, 100],
  ['filter', 'strength', 0, 100],
  ['remove_background', 'tolerance', 0, 100],
  ['remove_background', 'blur', 0, 10],
  ['compress', 'quality', 1, 100],
]
