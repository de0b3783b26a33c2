export const STAMP_FONTS = [
  'arimo',
  'arimo_bold',
  'arimo_italic',
  'arimo_bold_italic',
  'tinos',
  'tinos_bold',
  'tinos_italic',
  'tinos_bold_italic',
  'cousine',
  'cousine_bold',
  'cousine_italic',
  'cousine_bold_italic',
  'courier_prime',
  'courier_prime_bold',
  'courier_prime_italic',
  'courier_prime_bold_italic',
] as const

export type StampFont = (typeof STAMP_FONTS)[number]

export const STAMP_ALIGNMENTS = ['left', 'center', 'right'] as const

/** The limits of a text watermark's parameters. Lengths are in pixels. Characters are Unicode code points. */
export const STAMP_BOUNDS = {
  characters: 200,
  size: { minimum: 4, maximum: 1_000 },
  outline: 50,
  offset: 200,
  blur: 100,
  width: 8_000,
} as const

/** The maximum size of a text watermark in pixels. A larger image could not be the image of a `watermark` operation. */
export const MAX_STAMP = { side: 8_000, pixels: 16_000_000 } as const

/** The maximum number of text watermarks of an account in one mode that are queued or being drawn. */
export const STAMPS_AT_ONCE = 20

/** A text to draw. Opacities are in percent, colors are in hex notation, and angles are in degrees clockwise. */
export type TextStamp = {
  type: 'text'
  text: string
  font: StampFont
  size: number
  color: string
  opacity: number
  rotation: number
  align: (typeof STAMP_ALIGNMENTS)[number]
  outline?: { color: string; width: number } | undefined
  shadow?: { color: string; opacity: number; x: number; y: number; blur: number } | undefined
}

export type ImageStamp = {
  type: 'image'
  source: string
  width?: number | undefined
  opacity: number
  rotation: number
  trim: boolean
}

export type Stamp = TextStamp | ImageStamp

export const STAMP_TASK = 'stamps/draw'
